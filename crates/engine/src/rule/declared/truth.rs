//! Whether a condition holds: yes, no, or nobody can know.

/// An answer with its reason.
#[derive(Debug, Clone, PartialEq)]
pub enum Truth {
    /// It holds.
    Yes,
    /// It does not, for this reason.
    No(String),
    /// It cannot be decided, for this reason.
    Unclear(String),
}

/// How a condition is asked.
#[derive(Debug, Clone, Copy)]
pub struct Asking {
    /// Holding makes the rule stricter.
    pub strict: bool,
    /// Somebody wants to read the reasons; they cost more than the answer.
    pub reasons: bool,
}

impl Asking {
    /// The same inside a `not`.
    pub fn turned(self) -> Asking {
        Asking { strict: !self.strict, ..self }
    }

    /// It does not hold.
    pub fn no(self, reason: impl FnOnce() -> String) -> Truth {
        Truth::No(if self.reasons { reason() } else { String::new() })
    }

    /// Yes or no.
    pub fn when(self, holds: bool, reason: impl FnOnce() -> String) -> Truth {
        if holds { Truth::Yes } else { self.no(reason) }
    }
}

impl Truth {
    /// Whether it holds for certain.
    pub fn is_yes(&self) -> bool {
        matches!(self, Truth::Yes)
    }

    /// The opposite.
    pub fn not(self, asking: Asking, reason: impl FnOnce() -> String) -> Truth {
        match self {
            Truth::Yes => asking.no(reason),
            Truth::No(_) => Truth::Yes,
            Truth::Unclear(doubt) => Truth::Unclear(doubt),
        }
    }

    /// Whether all hold: one that does not decides, then a doubt.
    pub fn all(truths: impl IntoIterator<Item = Truth>) -> Truth {
        let mut result = Truth::Yes;
        for truth in truths {
            match truth {
                Truth::Yes => {}
                Truth::No(reason) => return Truth::No(reason),
                Truth::Unclear(doubt) if result.is_yes() => result = Truth::Unclear(doubt),
                Truth::Unclear(_) => {}
            }
        }
        result
    }

    /// Whether one holds: one that does decides, then a doubt.
    pub fn any(truths: impl IntoIterator<Item = Truth>) -> Truth {
        let mut result: Option<Truth> = None;
        for truth in truths {
            match truth {
                Truth::Yes => return Truth::Yes,
                Truth::Unclear(_) if !matches!(result, Some(Truth::Unclear(_))) => result = Some(truth),
                Truth::Unclear(_) => {}
                Truth::No(_) => {
                    result.get_or_insert(truth);
                }
            }
        }
        result.unwrap_or_else(|| Truth::No("there is nothing to choose from".to_owned()))
    }
}

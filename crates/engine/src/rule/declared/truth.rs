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

impl Truth {
    /// Whether it holds for certain.
    pub fn is_yes(&self) -> bool {
        matches!(self, Truth::Yes)
    }

    /// Yes, or no with a reason that is made only when needed.
    pub fn when(holds: bool, reason: impl FnOnce() -> String) -> Truth {
        if holds { Truth::Yes } else { Truth::No(reason()) }
    }

    /// The opposite.
    pub fn not(self, reason: impl FnOnce() -> String) -> Truth {
        match self {
            Truth::Yes => Truth::No(reason()),
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

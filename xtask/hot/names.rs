//! Functions by their places, and their names as patterns that also fit the
//! next build.

use std::collections::{BTreeMap, HashMap, HashSet};

/// The functions behind a generic name may be so many bytes together: standing
/// elsewhere, the one of them that is wanted costs a page fault of its own, which
/// brings 64 KiB along.
const LOOSE: u64 = 24 * 1024;

/// The functions of a program, by their places.
pub struct Symbols(BTreeMap<u64, (u64, String)>);

impl Symbols {
    /// From what `nm -S` prints: place, size, kind, name.
    pub fn read(listed: &str) -> Symbols {
        let line = |line: &str| {
            let mut words = line.split_whitespace();
            let place = u64::from_str_radix(words.next()?, 16).ok()?;
            let size = u64::from_str_radix(words.next()?, 16).ok()?;
            Some((place, (size, words.nth(1)?.to_owned())))
        };
        Symbols(listed.lines().filter_map(line).collect())
    }

    /// Patterns of the functions at these places, each once, in this order. Those
    /// that fit other functions, too, as the names of generic ones do, stand behind
    /// the others, the smallest first; one that fits too much is left out.
    pub fn patterns(&self, places: &[u64]) -> Vec<String> {
        let mut sizes: HashMap<String, u64> = HashMap::new();
        for (size, name) in self.0.values() {
            *sizes.entry(pattern(name)).or_default() += size;
        }
        let at = |place: &u64| {
            self.0.range(..place + 16).next_back().map(|(start, (size, name))| (start, size, name))
        };
        let (mut seen, mut order, mut wanted) = (HashSet::new(), Vec::new(), HashMap::<String, u64>::new());
        for (start, size, name) in places.iter().filter_map(at) {
            if seen.insert(*start) {
                let pattern = pattern(name);
                *wanted.entry(pattern.clone()).or_default() += size;
                order.push(pattern);
            }
        }
        let mut listed = HashSet::new();
        let fits = |pattern: &String| sizes[pattern] <= wanted[pattern] * 3 / 2 + 512;
        order.retain(|pattern| (fits(pattern) || sizes[pattern] <= LOOSE) && listed.insert(pattern.clone()));
        let (mut order, mut loose): (Vec<String>, Vec<String>) = order.into_iter().partition(fits);
        loose.sort_by_key(|pattern| sizes[pattern]);
        order.append(&mut loose);
        order
    }
}

/// What the compiler makes anew in every version stands for anything, and so
/// does what the linker would not take for a part of a name.
fn pattern(name: &str) -> String {
    let name = name.split(".llvm.").next().unwrap_or(name);
    let hash = |text: &str| text.len() == 17 && text[..16].bytes().all(|byte| byte.is_ascii_hexdigit());
    let plain = match name.rsplit_once("17h") {
        Some((before, behind)) if hash(behind) && behind.ends_with('E') => format!("{before}17h*E"),
        _ => without_crates(name),
    };
    plain.replace('$', "?")
}

/// `Cs1a2b3c_4core` names a crate with its version.
fn without_crates(name: &str) -> String {
    let mut pieces = name.split("Cs");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match piece.split_once('_') {
            Some((version, rest)) if version.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
                plain.push_str("Cs*_");
                plain.push_str(rest);
            }
            _ => {
                plain.push_str("Cs");
                plain.push_str(piece);
            }
        }
    }
    plain
}

/// What the linker reads: the functions, and the tables they jump by.
pub fn script(patterns: &[String]) -> String {
    let section = |kind: &str| {
        let lines: String = patterns.iter().map(|pattern| format!("    *(.{kind}.{pattern})\n")).collect();
        format!("SECTIONS\n{{\n  .{kind}.boathook_hot :\n  {{\n{lines}  }}\n}}\nINSERT BEFORE .{kind};\n")
    };
    let title = "/* What a call of an agent goes through, side by side. Written by xtask/hot. */\n";
    title.to_owned() + &section("text") + &section("rodata")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_forgets_what_every_build_names_anew() {
        let cases = [
            ("_ZN8boathook4main17h82831945db916a9aE", "_ZN8boathook4main17h*E"),
            ("_ZN4core3ptr17hdrop17h0123456789abcdefE.llvm.12", "_ZN4core3ptr17hdrop17h*E"),
            ("_ZN3_$LT$T$GT$17h0123456789abcdefE", "_ZN3_?LT?T?GT?17h*E"),
            ("_RNvNtCsb7974e8_4core3fmt5write", "_RNvNtCs*_4core3fmt5write"),
            ("memcpy", "memcpy"),
        ];
        for (name, expected) in cases {
            assert_eq!(pattern(name), expected, "{name}");
        }
    }

    #[test]
    fn what_fits_other_functions_stands_behind_and_what_fits_too_much_is_left_out() {
        let name = |letter: &str, digit: &str| format!("_ZN1{letter}17h{}E", digit.repeat(16));
        let row = |place: u64, size: u64, name: &str| format!("{place:016x} {size:016x} t {name}\n");
        let listed = row(0x1000, 0x100, &name("a", "1"))
            + &row(0x1100, 0x10, &name("b", "1"))
            + &row(0x1110, 0x9000, &name("b", "2"))
            + &row(0xa110, 0x10, "memcpy")
            + &row(0xa120, 0x10, &name("c", "1"))
            + &row(0xa130, 0x4000, &name("c", "2"))
            + &row(0xe130, 0x9000, &name("d", "1"));
        let symbols = Symbols::read(&listed);
        let touched = [0xa120, 0xa110, 0xe140, 0x1100, 0x1040, 0x1000];
        assert_eq!(symbols.patterns(&touched), ["memcpy", "_ZN1d17h*E", "_ZN1a17h*E", "_ZN1c17h*E"]);
    }
}

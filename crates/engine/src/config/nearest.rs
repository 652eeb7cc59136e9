//! Finds the known name that a misspelt one was meant to be.

/// What a misspelt name was probably meant to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Nearest {
    /// Exactly this.
    One(&'static str),
    /// One of these.
    Several(Vec<&'static str>),
    /// Nothing is near.
    Nothing,
}

/// The shortest beginning of a name that is taken for the name.
const LEAST_PREFIX: usize = 6;
/// No known name is half as long; a longer one is not looked at.
const LONGEST: usize = 64;

/// Looks for a name that is spelt alike, that begins alike, or that is a few
/// letters away; in this order.
pub(super) fn nearest(name: &str, known: impl Iterator<Item = &'static str> + Clone) -> Nearest {
    if name.len() > LONGEST {
        return Nearest::Nothing;
    }
    let wanted = bare(name);
    let same: Vec<_> = known.clone().filter(|known| bare(known) == wanted).collect();
    if !same.is_empty() {
        return one_of(same);
    }
    let longer: Vec<_> = known
        .clone()
        .filter(|known| wanted.len() >= LEAST_PREFIX && bare(known).starts_with(&wanted))
        .collect();
    if !longer.is_empty() {
        return one_of(longer);
    }
    let limit = (wanted.chars().count() / 4).clamp(1, 3);
    let distances: Vec<_> = known.map(|known| (distance(&wanted, &bare(known)), known)).collect();
    let least = distances.iter().map(|(distance, _)| *distance).min().unwrap_or(usize::MAX);
    if least > limit {
        return Nearest::Nothing;
    }
    one_of(distances.into_iter().filter(|(distance, _)| *distance == least).map(|(_, known)| known).collect())
}

/// A name without what people vary: case, hyphens and underscores.
pub(super) fn bare(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
}

fn one_of(names: Vec<&'static str>) -> Nearest {
    match names[..] {
        [] => Nearest::Nothing,
        [name] => Nearest::One(name),
        _ => Nearest::Several(names),
    }
}

/// How many letters must be changed, added, removed or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_what_must_change() {
        let cases = [("", "", 0), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "ab", 1), ("abc", "acb", 1)];
        let more = [("kitten", "sitting", 3), ("", "abc", 3), ("é", "e", 1)];
        for (a, b, expected) in cases.into_iter().chain(more) {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn the_nearest_name_is_clear_or_there_is_none() {
        let known = ["failClosed", "loop_limit", "afterFileEdit", "afterFileRead"].into_iter();
        let cases = [
            ("fail-closed", Nearest::One("failClosed")),
            ("LoopLimit", Nearest::One("loop_limit")),
            ("failClose", Nearest::One("failClosed")),
            ("lop_limit", Nearest::One("loop_limit")),
            ("afterFileEd", Nearest::One("afterFileEdit")),
            ("afterFile", Nearest::Several(vec!["afterFileEdit", "afterFileRead"])),
            ("after", Nearest::Nothing),
            ("colour", Nearest::Nothing),
            ("", Nearest::Nothing),
        ];
        for (name, expected) in cases {
            assert_eq!(nearest(name, known.clone()), expected, "{name}");
        }
        assert_eq!(nearest(&"failClosed".repeat(100_000), known), Nearest::Nothing);
    }
}

//! `*` in a command, and file patterns as in a `.gitignore`.

/// Whether a whole text fits a pattern in which `*` stands for anything.
pub fn fits_text(pattern: &str, text: &str) -> bool {
    fits(pattern.as_bytes(), text.as_bytes(), &|_| true)
}

/// Whether a path fits a file pattern: `*` and `?` stay within a name, `**`
/// does not, and a pattern without a slash fits a name at any depth.
pub fn fits_path(pattern: &str, path: &str) -> bool {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    if !pattern.trim_end_matches('/').contains('/') {
        let pattern = pattern.trim_end_matches('/');
        return path.split('/').any(|name| fits(pattern.as_bytes(), name.as_bytes(), &|_| true));
    }
    let pattern = pattern.replace("/**/", "/**").replace("**/", "**");
    let inside = pattern.strip_suffix('/').map(|directory| format!("{directory}/**"));
    let pattern = inside.unwrap_or(pattern);
    fits(pattern.as_bytes(), path.as_bytes(), &|byte| byte != b'/')
}

/// Two places to go back to are enough: whatever a later star takes, an
/// earlier one need not take.
fn fits(pattern: &[u8], text: &[u8], one_star: &dyn Fn(u8) -> bool) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut single: Option<(usize, usize)> = None;
    let mut double: Option<(usize, usize)> = None;
    loop {
        if pattern[p..].starts_with(b"**") {
            p += 2;
            (double, single) = (Some((p, t)), None);
            continue;
        }
        if pattern.get(p) == Some(&b'*') {
            p += 1;
            single = Some((p, t));
            continue;
        }
        if t == text.len() && p == pattern.len() {
            return true;
        }
        let one = pattern
            .get(p)
            .zip(text.get(t))
            .is_some_and(|(wanted, found)| wanted == found || (*wanted == b'?' && one_star(*found)));
        if one {
            (p, t) = (p + 1, t + 1);
        } else if let Some((behind, taken)) =
            single.filter(|(_, taken)| text.get(*taken).is_some_and(|byte| one_star(*byte)))
        {
            (p, t) = (behind, taken + 1);
            single = Some((behind, taken + 1));
        } else if let Some((behind, taken)) = double.filter(|(_, taken)| *taken < text.len()) {
            (p, t) = (behind, taken + 1);
            (double, single) = (Some((behind, taken + 1)), None);
        } else {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_in_a_command_stands_for_anything() {
        let cases = [
            ("git push *", "git push origin main", true),
            ("git *", "git commit -m a/b", true),
            ("* --force*", "git push --force", true),
            ("git push", "git push origin", false),
            ("npm run test", "npm run test", true),
            ("*", "", true),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(fits_text(pattern, text), expected, "{pattern} and {text}");
        }
    }

    #[test]
    fn a_file_pattern_is_read_as_in_a_gitignore() {
        let cases = [
            ("*.ts", "src/deep/a.ts", true),
            ("*.ts", "src/a.tsx", false),
            (".env", "config/.env", true),
            ("src/*.ts", "src/a.ts", true),
            ("src/*.ts", "src/deep/a.ts", false),
            ("src/**", "src/deep/a.ts", true),
            ("src/**/*.ts", "src/deep/er/a.ts", true),
            ("src/**/*.ts", "src/a.ts", true),
            ("**/secret?", "a/b/secret1", true),
            ("docs/", "docs/a/b.md", true),
            ("./a/b", "a/b", true),
        ];
        for (pattern, path, expected) in cases {
            assert_eq!(fits_path(pattern, path), expected, "{pattern} and {path}");
        }
    }

    #[test]
    fn a_bomb_of_stars_takes_bounded_work() {
        let pattern = "*a".repeat(500) + "b";
        assert!(!fits_text(&pattern, &"a".repeat(20_000)));
    }
}

//! `docs/soak.md`: one section per kind of soak; a run renews its own sections only.

use std::fs;

use crate::command::Outcome;
use crate::project;

const HEAD: &str = "\
# Long runs

Written by `cargo xtask soak --write`; do not edit. Each section is renewed by the run that measures it.
";

/// Writes the sections, and keeps those that are not among them.
pub fn write<'a>(sections: impl Iterator<Item = (&'a str, String)>) -> Outcome<()> {
    let path = project::root().join("docs/soak.md");
    let mut page = fs::read_to_string(&path).unwrap_or_else(|_| HEAD.to_owned());
    for (title, text) in sections {
        page = with_section(&page, title, &text);
    }
    fs::create_dir_all(project::root().join("docs")).map_err(|error| error.to_string())?;
    fs::write(&path, page).map_err(|error| format!("docs/soak.md: {error}"))?;
    println!("wrote docs/soak.md");
    Ok(())
}

/// The page with this section's text replaced, or added at the end.
fn with_section(page: &str, title: &str, text: &str) -> String {
    let section = format!("\n## {title}\n\n{text}");
    let heading = format!("\n## {title}\n");
    let Some(start) = page.find(&heading) else { return format!("{page}{section}") };
    let rest = &page[start + heading.len()..];
    let after = rest.find("\n## ").map_or("", |end| &rest[end..]);
    format!("{}{section}{after}", &page[..start])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_renews_its_own_section_only() {
        let cases = [
            ("a first section", "# T\n", "A", "# T\n\n## A\n\nnew\n"),
            ("another at the end", "# T\n\n## B\n\nold\n", "A", "# T\n\n## B\n\nold\n\n## A\n\nnew\n"),
            ("the last one renewed", "# T\n\n## A\n\nold\n", "A", "# T\n\n## A\n\nnew\n"),
            (
                "one in the middle",
                "# T\n\n## A\n\nold\n\n## B\n\nkept\n",
                "A",
                "# T\n\n## A\n\nnew\n\n## B\n\nkept\n",
            ),
        ];
        for (name, page, title, expected) in cases {
            assert_eq!(with_section(page, title, "new\n"), expected, "{name}");
        }
    }
}

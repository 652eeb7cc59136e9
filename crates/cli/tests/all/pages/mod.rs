//! The pages a person reads, taken apart: sections, tables, code blocks, links.

use std::fs;
use std::path::{Path, PathBuf};

/// A code block: what stands behind its backticks, its text, and where it is.
#[derive(Debug, Clone)]
pub struct Fence {
    /// The language, the first word behind the backticks.
    pub language: String,
    /// The other words: what a test is to do with the block.
    pub marks: Vec<String>,
    /// The text between the backticks, each line with its newline.
    pub text: String,
    /// The line of the opening backticks, from 1.
    pub line: usize,
    /// How many headings of the first or second level stand before it.
    pub section: usize,
}

impl Fence {
    /// Whether it carries this mark.
    pub fn is(&self, mark: &str) -> bool {
        self.marks.iter().any(|it| it == mark)
    }

    /// The value of a mark such as `file=.cursor/hooks.json`.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.marks.iter().find_map(|mark| mark.strip_prefix(name)?.strip_prefix('='))
    }
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

pub fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Every page a person reads.
pub fn pages() -> Vec<(PathBuf, String)> {
    let tops = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
    let tops = tops.map(|name| (root().join(name), page(name)));
    files(&root().join("docs"), "md").into_iter().chain(tops).collect()
}

/// The files of this kind below a folder, in the order of their paths.
pub fn files(folder: &Path, extension: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            found.extend(files(&entry, extension));
        } else if entry.extension().is_some_and(|it| it == extension) {
            found.push((entry.clone(), fs::read_to_string(entry).expect("text")));
        }
    }
    found.sort();
    found
}

/// The sections of a page by their headings of the second level.
pub fn sections(text: &str) -> Vec<(&str, &str)> {
    text.split("\n## ").skip(1).map(|section| section.split_once('\n').unwrap_or((section, ""))).collect()
}

pub fn section<'t>(text: &'t str, heading: &str) -> &'t str {
    let found = sections(text).into_iter().find(|(name, _)| *name == heading);
    found.unwrap_or_else(|| panic!("no section `{heading}`")).1
}

/// The rows of the table whose first column has this heading.
pub fn table(section: &str, heading: &str) -> Vec<String> {
    let start = format!("| {heading} |");
    let from = section.lines().skip_while(|line| !line.starts_with(&start)).skip(2);
    from.take_while(|line| line.starts_with('|')).map(str::to_owned).collect()
}

pub fn first_cells(rows: &[String]) -> Vec<String> {
    rows.iter().map(|row| row.split('|').nth(1).unwrap_or_default().trim().to_owned()).collect()
}

/// What stands in code quotes.
pub fn quoted(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The code blocks of a page, in their order.
pub fn fences(text: &str) -> Vec<Fence> {
    let mut fences = Vec::new();
    let mut section = 0;
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        section += usize::from(line.starts_with("# ") || line.starts_with("## "));
        let Some(info) = line.strip_prefix("```") else { continue };
        let mut words = info.split_whitespace().map(str::to_owned);
        let language = words.next().unwrap_or_default();
        let inside = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
        let text = inside.map(|line| format!("{line}\n")).collect();
        fences.push(Fence { language, marks: words.collect(), text, line: number + 1, section });
    }
    fences
}

/// The contents of the code blocks of this language.
pub fn fenced(text: &str, language: &str) -> Vec<String> {
    fences(text).into_iter().filter(|fence| fence.language == language).map(|fence| fence.text).collect()
}

/// Where links lead, those inside code blocks aside.
pub fn links(text: &str) -> Vec<String> {
    let mut inside = false;
    let prose = text.lines().filter(|line| {
        let fence = line.starts_with("```");
        inside ^= fence;
        !inside && !fence
    });
    let prose: Vec<&str> = prose.collect();
    let prose = prose.join("\n");
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_owned()).collect()
}

/// Whether a heading of this name, as GitHub makes anchors, is in the page.
pub fn has_anchor(text: &str, anchor: &str) -> bool {
    let slug = |heading: &str| -> String {
        let kept = heading.to_lowercase().replace(' ', "-");
        kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
    };
    text.lines()
        .filter_map(|line| line.strip_prefix('#'))
        .any(|line| slug(line.trim_start_matches(['#', ' '])) == anchor)
}

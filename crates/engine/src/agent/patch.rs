//! The patch format of `apply_patch`: which files a text changes, and how.
//!
//! Whoever applies a patch may read it more generously than its grammar says,
//! so this reader never hides a path: whatever could name a file names one
//! here, and a text that is not wholly understood says so.
//!
//! Pure: a text in, a value out.

/// Opens a patch.
pub const BEGIN: &str = "*** Begin Patch";
/// Closes it.
pub const END: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const UPDATE: &str = "*** Update File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";
const PLACE: &str = "@@";

/// A patch as far as it was understood.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Patch {
    /// What it changes, in its order.
    pub files: Vec<FileChange>,
    /// Paths in places where only some readers would see a file.
    pub suspects: Vec<String>,
    /// Every line was understood, and stood where it belongs.
    pub clean: bool,
}

/// What becomes of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// As it was written.
    pub path: String,
    /// What is done to it.
    pub change: Change,
}

/// What is done to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It is made, or written anew.
    Add {
        /// The whole of it.
        content: String,
    },
    /// It goes.
    Delete,
    /// Parts of it are replaced.
    Update {
        /// Its new path, when it moves.
        to: Option<String>,
        /// The parts.
        chunks: Vec<Chunk>,
    },
}

/// Lines that stand in the place of others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chunk {
    /// A line above it by which it is found.
    pub place: Option<String>,
    /// What stood there, with the lines around it.
    pub old: Vec<String>,
    /// What stands there then, with the same lines around it.
    pub new: Vec<String>,
    /// It is the end of the file.
    pub at_end: bool,
}

/// Reads a patch. What cannot be understood is passed over, and the patch is
/// not `clean`.
pub fn read(text: &str) -> Patch {
    let mut reader = Reader { patch: Patch { clean: true, ..Patch::default() }, begun: false, ended: false };
    text.trim().lines().for_each(|line| reader.line(line));
    reader.patch.clean &= reader.ended && !reader.patch.files.is_empty();
    reader.patch
}

/// A patch as a text.
pub fn write(patch: &Patch) -> String {
    let mut lines = vec![BEGIN.to_owned()];
    for file in &patch.files {
        match &file.change {
            Change::Add { content } => {
                lines.push(format!("{ADD} {}", file.path));
                lines.extend(content.lines().map(|line| format!("+{line}")));
            }
            Change::Delete => lines.push(format!("{DELETE} {}", file.path)),
            Change::Update { to, chunks } => {
                lines.push(format!("{UPDATE} {}", file.path));
                lines.extend(to.iter().map(|to| format!("{MOVE} {to}")));
                chunks.iter().for_each(|chunk| write_chunk(chunk, &mut lines));
            }
        }
    }
    lines.push(format!("{END}\n"));
    lines.join("\n")
}

fn write_chunk(chunk: &Chunk, lines: &mut Vec<String>) {
    lines.push(chunk.place.as_ref().map_or(PLACE.to_owned(), |place| format!("{PLACE} {place}")));
    lines.extend(chunk.old.iter().map(|line| format!("-{line}")));
    lines.extend(chunk.new.iter().map(|line| format!("+{line}")));
    if chunk.at_end {
        lines.push(END_OF_FILE.to_owned());
    }
}

struct Reader {
    patch: Patch,
    begun: bool,
    ended: bool,
}

impl Reader {
    fn line(&mut self, line: &str) {
        let trimmed = line.trim();
        if !self.begun {
            self.begun = true;
            if trimmed == BEGIN {
                return;
            }
            self.patch.clean = false;
        }
        if self.ended {
            self.patch.clean = false;
        }
        // In an update a line behind a space is text, for some readers.
        let text = line.starts_with(' ') && matches!(self.change(), Some(Change::Update { .. }));
        match header(trimmed) {
            Some((path, change)) if !text => self.patch.files.push(FileChange { path, change }),
            Some((path, _)) => {
                self.patch.suspects.push(path);
                self.patch.clean = false;
                self.body(line, trimmed);
            }
            None if trimmed == END => self.ended = true,
            None => self.body(line, trimmed),
        }
    }

    fn change(&mut self) -> Option<&mut Change> {
        self.patch.files.last_mut().map(|file| &mut file.change)
    }

    /// A line below a file's name.
    fn body(&mut self, line: &str, trimmed: &str) {
        let moved = trimmed.strip_prefix(MOVE).map(|path| path.trim().to_owned());
        let understood = match (self.change(), moved) {
            (Some(Change::Update { to: to @ None, chunks }), Some(path)) if chunks.is_empty() => {
                *to = Some(path);
                true
            }
            (_, Some(path)) => {
                self.patch.suspects.push(path);
                false
            }
            (Some(Change::Add { content }), None) => match line.strip_prefix('+') {
                Some(text) => {
                    content.push_str(text);
                    content.push('\n');
                    true
                }
                None => trimmed.is_empty() && content.is_empty(),
            },
            (Some(Change::Update { chunks, .. }), None) => update(chunks, line, trimmed),
            (Some(Change::Delete) | None, None) => trimmed.is_empty(),
        };
        self.patch.clean &= understood;
    }
}

/// A line that names a file.
fn header(trimmed: &str) -> Option<(String, Change)> {
    let behind = |marker: &str| Some(trimmed.strip_prefix(marker)?.trim().to_owned());
    let update = || Change::Update { to: None, chunks: Vec::new() };
    behind(ADD)
        .map(|path| (path, Change::Add { content: String::new() }))
        .or_else(|| Some((behind(DELETE)?, Change::Delete)))
        .or_else(|| Some((behind(UPDATE)?, update())))
}

/// A line of an update; whether it was understood.
fn update(chunks: &mut Vec<Chunk>, line: &str, trimmed: &str) -> bool {
    if let Some(place) = line.strip_prefix(PLACE) {
        let place = Some(place.trim().to_owned()).filter(|place| !place.is_empty());
        chunks.push(Chunk { place, ..Chunk::default() });
        return true;
    }
    if trimmed == END_OF_FILE {
        chunks.iter_mut().last().into_iter().for_each(|chunk| chunk.at_end = true);
        return !chunks.is_empty();
    }
    // Blank lines between parts belong to none of them.
    if line.is_empty() && chunks.is_empty() {
        return true;
    }
    if chunks.is_empty() {
        chunks.push(Chunk::default());
    }
    let Some(chunk) = chunks.last_mut() else { return false };
    let mut letters = line.chars();
    match letters.next() {
        None | Some(' ') => {
            chunk.old.push(letters.as_str().to_owned());
            chunk.new.push(letters.as_str().to_owned());
        }
        Some('-') => chunk.old.push(letters.as_str().to_owned()),
        Some('+') => chunk.new.push(letters.as_str().to_owned()),
        Some(_) => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    fn chunk(old: &[&str], new: &[&str]) -> Chunk {
        Chunk { old: lines(old), new: lines(new), ..Chunk::default() }
    }

    fn file(path: &str, change: Change) -> FileChange {
        FileChange { path: path.to_owned(), change }
    }

    fn add(path: &str, content: &str) -> FileChange {
        file(path, Change::Add { content: content.to_owned() })
    }

    fn changed(path: &str, to: Option<&str>, chunks: Vec<Chunk>) -> FileChange {
        file(path, Change::Update { to: to.map(str::to_owned), chunks })
    }

    #[test]
    fn a_patch_names_its_files_and_what_becomes_of_them() {
        let place = Chunk { place: Some("fn a()".to_owned()), at_end: true, ..chunk(&["x"], &["y", "z"]) };
        let cases = [
            ("+one\n+two", "*** Add File: new.txt", add("new.txt", "one\ntwo\n")),
            ("", "*** Add File: empty", add("empty", "")),
            ("", "*** Delete File: a b.txt", file("a b.txt", Change::Delete)),
            (
                "@@\n a\n-b\n+c",
                "*** Update File: n",
                changed("n", None, vec![chunk(&["a", "b"], &["a", "c"])]),
            ),
            ("-b", "*** Update File: n", changed("n", None, vec![chunk(&["b"], &[])])),
            ("@@\n-a\n\n+b", "*** Update File: n", changed("n", None, vec![chunk(&["a", ""], &["", "b"])])),
            (
                "@@\n-a\n@@ fn a()\n-x\n+y\n+z\n*** End of File",
                "*** Update File: n",
                changed("n", None, vec![chunk(&["a"], &[]), place]),
            ),
            (
                "*** Move to: b/c\n@@\n+x",
                "*** Update File: a",
                changed("a", Some("b/c"), vec![chunk(&[], &["x"])]),
            ),
            ("*** Move to: b", "*** Update File: a", changed("a", Some("b"), Vec::new())),
        ];
        for (body, head, expected) in cases {
            let text = format!("{BEGIN}\n{head}\n{body}\n{END}\n").replace("\n\n***", "\n***");
            let patch = read(&text);
            assert_eq!(patch.files, [expected], "{text}");
            assert!(patch.clean && patch.suspects.is_empty(), "{text}");
            assert_eq!(read(&write(&patch)).files.len(), 1, "{text}");
        }
    }

    #[test]
    fn a_patch_that_was_written_reads_the_same() {
        let patch = Patch {
            files: vec![
                add("a", "one\n\n+two\n*** Delete File: no\n"),
                file("b", Change::Delete),
                changed("c", Some("d"), vec![chunk(&["x", ""], &["*** Add File: no"])]),
                changed("e", None, vec![Chunk { place: Some("p".into()), ..chunk(&[], &["y"]) }]),
            ],
            suspects: Vec::new(),
            clean: true,
        };
        assert_eq!(read(&write(&patch)), patch);
    }

    #[test]
    fn nothing_that_could_name_a_file_is_hidden() {
        let cases: &[(&str, &str, &[&str], &[&str])] = &[
            ("padded markers", "  *** Begin Patch \n\t*** Add File:   a \n+x\n *** End Patch", &["a"], &[]),
            ("returns", "*** Begin Patch\r\n*** Add File: a\r\n+x\r\n*** End Patch\r\n", &["a"], &[]),
            ("no begin", "*** Delete File: a\n*** End Patch", &["a"], &[]),
            ("no end", "*** Begin Patch\n*** Delete File: a", &["a"], &[]),
            ("behind the end", "*** Begin Patch\n*** End Patch\n*** Delete File: a", &["a"], &[]),
            ("no space", "*** Begin Patch\n*** Delete File:a\n*** End Patch", &["a"], &[]),
            (
                "an unknown line",
                "*** Begin Patch\n*** Environment ID: x\n*** Delete File: a\n*** End Patch",
                &["a"],
                &[],
            ),
            (
                "as context",
                "*** Begin Patch\n*** Update File: a\n@@\n *** Add File: b\n+x\n*** End Patch",
                &["a"],
                &["b"],
            ),
            (
                "a late move",
                "*** Begin Patch\n*** Update File: a\n@@\n+x\n*** Move to: b\n*** End Patch",
                &["a"],
                &["b"],
            ),
            ("a move of nothing", "*** Begin Patch\n*** Move to: b\n*** End Patch", &[], &["b"]),
            (
                "two moves",
                "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** Move to: c\n*** End Patch",
                &["a"],
                &["c"],
            ),
            (
                "in an added text",
                "*** Begin Patch\n*** Add File: a\n+*** Add File: b\n*** End Patch",
                &["a"],
                &[],
            ),
            ("a quote", "<<'EOF'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF", &["a"], &[]),
        ];
        for (name, text, paths, suspects) in cases {
            let patch = read(text);
            assert_eq!(
                patch.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
                *paths,
                "{name}"
            );
            assert_eq!(patch.suspects, lines(suspects), "{name}");
            let clean = ["padded markers", "returns", "no space", "in an added text"];
            assert_eq!(patch.clean, clean.contains(name), "{name}");
        }
    }

    #[test]
    fn whatever_the_text_is_it_is_read() {
        let texts = [
            "",
            "\n",
            "***",
            "@@",
            "*** Begin Patch",
            "*** Update File:",
            "+é",
            "*** Update File: a\né",
            "\u{0}",
        ];
        for text in texts {
            assert!(!read(text).clean, "{text:?}");
        }
        let long = format!("{BEGIN}\n*** Update File: a\n{}{END}", "@@\n-x\n+y\n".repeat(100_000));
        assert!(read(&long).clean);
    }
}

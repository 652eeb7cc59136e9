//! Programs whose words must be read one by one to know what they write: copies, archives, searches, downloads,
//! patches, `git`, `sed` and `awk`.

use std::path::Path;

use super::Touched;
use super::command::{Judge, PROGRAM};
use super::doubt::Search;
use super::options::{has_letter, has_long, has_word, is_partly_unknown, operands, option_values, tail};
use super::programs::{self, is_reader};
use super::targets::Reach;
use crate::rule::declared::TextGlob;
use crate::rule::shell::{Command, Piece, Word};

/// Subcommands of `git` that change the work tree.
#[rustfmt::skip] // a list of short words
const GIT_CHANGES: [&str; 18] = [
    "clean", "checkout", "restore", "reset", "stash", "pull", "merge", "rebase", "apply", "am", "switch", "rm", "mv", "revert",
    "cherry-pick", "read-tree", "checkout-index", "sparse-checkout",
];

impl Judge<'_> {
    /// The destination of a copy, a move or a link: itself, and what the sources are called inside of it.
    pub(super) fn copy(&self, command: &Command, operands: &[&Word]) -> Option<Touched> {
        let program = command.program().unwrap_or_default();
        let is_sync = matches!(program, "rsync" | "scp");
        let is_copy = matches!(program, "cp" | "gcp");
        let letters: &[char] = if is_sync { &[] } else { &['t'] };
        let named = option_values(command, letters, &["target-directory"]);
        let (target, sources) = match (named.first(), operands.split_last()) {
            (Some(target), _) => (target, operands),
            (None, Some((last, sources))) if !sources.is_empty() => (*last, sources),
            _ => return None,
        };
        if is_copy && (has_letter(command, &['l', 's']) || has_long(command, &["link", "symbolic-link"])) {
            // A second name of a protected file changes it later.
            let linked = sources.iter().find_map(|word| self.word(word, Reach::Tree));
            if linked.is_some() {
                return linked;
            }
        }
        let recursive = program == "mv"
            || program == "rsync"
            || program == "ditto"
            || has_letter(command, &['r', 'R', 'a'])
            || has_long(command, &["recursive", "archive"]);
        let onto = has_long(command, &["no-target-directory"]) || (!is_sync && has_letter(command, &['T']));
        let with_parents = has_long(command, &["parents", "relative"])
            || (program == "rsync" && has_letter(command, &['R']));
        let reach = if recursive { Reach::Tree } else { Reach::Path };
        let inside = |source: &&Word| {
            let text = source.text();
            let contents =
                text.ends_with("/.") || text == "." || (is_sync && text.ends_with('/')) || program == "ditto";
            if contents || (onto && recursive && program != "mv") {
                return self.merge(target, source, recursive);
            }
            if text.ends_with('*') {
                return self.word(target, Reach::Directory);
            }
            let name = if with_parents { Some((*source).clone()) } else { last_name(source) };
            let Some(name) = name.filter(|name| !name.text().contains("{}")) else {
                return self.word(target, Reach::Directory);
            };
            let mut below = target.clone();
            below.push_text("/");
            below.pieces.extend(name.pieces);
            self.word(&below, reach)
        };
        self.word(target, Reach::Path).or_else(|| sources.iter().find_map(inside))
    }

    /// What is in one directory comes into another one.
    fn merge(&self, target: &Word, source: &Word, recursive: bool) -> Option<Touched> {
        let direct = self.word(target, Reach::Directory);
        if direct.is_some() || !recursive {
            return direct;
        }
        let sources = self.place.paths(source);
        let is_known = sources.iter().any(|path| path.is_dir());
        let reached = self.place.paths(target).into_iter().flat_map(|path| self.targets.below(&path));
        let comes = |names: &[String]| {
            let rest: &Path = &names.iter().collect::<std::path::PathBuf>();
            // What is not there yet, the line may make.
            !is_known
                || sources.iter().any(|source| source.join(rest).exists())
                || names.iter().any(|name| self.line.contains(name.as_str()))
        };
        reached.into_iter().find(|(names, _)| comes(names)).map(|(_, touched)| touched)
    }

    /// Where an archive is unpacked, and the archive that is written.
    pub(super) fn archive(&self, command: &Command, operands: &[&Word]) -> Option<Touched> {
        let first = command.args().first().map(Word::text).unwrap_or_default();
        let program = command.program().unwrap_or_default();
        // `tar cf x y`: letters without a dash, whose values follow in their order.
        let bundle = if program.ends_with("tar") && !first.starts_with('-') { first.as_str() } else { "" };
        let has = |letters: &[char], names: &[&str]| {
            bundle.contains(letters) || has_letter(command, letters) || has_long(command, names)
        };
        let creates = has(&['c', 'r', 'u', 'A'], &["create", "append", "update", "delete", "concatenate"])
            || (program.starts_with("7z") && matches!(first.as_str(), "a" | "u" | "d"));
        let at_f =
            bundle.chars().filter(|letter| "fbCXTN".contains(*letter)).position(|letter| letter == 'f');
        let by_bundle = at_f.and_then(|at| command.args().get(at + 1)).cloned();
        let files: Vec<Word> =
            option_values(command, &['f', 'F'], &["file"]).into_iter().chain(by_bundle).collect();
        let is_zipped = program.starts_with("7z");
        let written = files.iter().chain(operands.get(1).copied().filter(|_| is_zipped));
        let archive = written.into_iter().filter(|_| creates).find_map(|word| self.word(word, Reach::Path));
        let unpacks = matches!(program, "unzip")
            || has(&['x', 'i'], &["extract", "get"])
            || matches!(first.as_str(), "x" | "e");
        let into = || {
            let folders = option_values(command, &['C', 'd', 'o', 'D'], &["directory", "one-top-level"]);
            folders.iter().find_map(|word| self.word(word, Reach::Directory))
        };
        let here = || {
            let is_member = |word: &&&Word| !word.text().starts_with(['/', '~']) && !files.contains(word);
            let members = || operands.iter().filter(is_member).find_map(|word| self.word(word, Reach::Path));
            self.word(&Word::literal("."), Reach::Directory).or_else(members)
        };
        archive
            .or_else(|| if creates { None } else { into() })
            .or_else(|| if unpacks { here() } else { None })
    }

    /// The directories that `find` starts from, where it removes or runs something that is not a reader, and the
    /// files that it writes.
    pub(super) fn find(&self, command: &Command) -> Option<Touched> {
        const RUNS: [&str; 9] =
            ["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch", "-delete"];
        let args = command.args();
        let texts: Vec<String> = args.iter().map(Word::text).collect();
        let files = (0..args.len()).filter(|at| texts[*at].starts_with("-fprint") || texts[*at] == "-fls");
        let written = files.filter_map(|at| args.get(at + 1)).find_map(|word| self.word(word, Reach::Path));
        if written.is_some() {
            return written;
        }
        let is_harmful = |at: &usize| {
            let program = texts.get(at + 1).map_or("", String::as_str);
            let mut named = self.reading.commands.iter().filter(|it| it.program() == Some(program));
            texts[*at] == "-delete"
                || !is_reader(program)
                || self.renamed.covers(program)
                || !named.all(programs::only_reads)
        };
        if !(0..args.len()).filter(|at| RUNS.contains(&texts[*at].as_str())).any(|at| is_harmful(&at)) {
            return None;
        }
        if command.program().is_some_and(|program| program.starts_with("fd")) {
            // Its pattern comes before the directories.
            return operands(command).into_iter().find_map(|word| self.word(word, Reach::Tree));
        }
        let is_negated = has_word(command, &["!", "-not", "-o", "-or", ","]);
        let names: Vec<String> = if is_negated {
            Vec::new()
        } else {
            option_values(command, &[], &["name", "iname"]).iter().map(Word::text).collect()
        };
        let globs: Vec<TextGlob> =
            names.iter().map(|name| TextGlob::new(&without_sets(name).to_lowercase())).collect();
        let is_start = |text: &&String| !text.starts_with(['-', '(', '!']);
        let starts = texts.iter().take_while(is_start).count();
        let here = [Word::literal(".")];
        let starts = if starts == 0 { &here[..] } else { &args[..starts] };
        starts.iter().find_map(|start| {
            if globs.is_empty() {
                return self.word(start, Reach::Tree);
            }
            let within = self.word(start, Reach::Path);
            let fits = |name: &str| globs.iter().any(|glob| glob.matches(&name.to_lowercase()));
            let paths = self.place.possible_paths(start, self.targets);
            within.or_else(|| paths.iter().find_map(|path| self.targets.named_below(path, &fits)))
        })
    }

    /// `git` over a work tree that holds what is protected.
    pub(super) fn git(&self, command: &Command) -> Option<Touched> {
        if !has_word(command, &GIT_CHANGES) {
            return None;
        }
        let mut trees = option_values(command, &[], &["work-tree"]);
        let by_variable = super::directories::assigned_values(self.line, "GIT_WORK_TREE=");
        trees.extend(by_variable.into_iter().map(Word::literal));
        if has_word(command, &["clean"]) {
            trees.push(Word::literal("."));
        }
        trees.iter().find_map(|tree| self.word(tree, Reach::Tree))
    }

    /// A patch names its files itself.
    pub(super) fn patch(&self, command: &Command) -> Option<Touched> {
        let named = option_values(command, &['d'], &["directory"]);
        let here = Word::literal(".");
        let folders = if named.is_empty() { vec![here] } else { named };
        folders.iter().find_map(|folder| self.word(folder, Reach::Tree))
    }

    /// A download that takes its name from the address.
    pub(super) fn download(&self, command: &Command) -> Option<Touched> {
        let is_wget = command.program() == Some("wget");
        let takes_name = match is_wget {
            true => !has_letter(command, &['O']) && !has_long(command, &["output-document"]),
            false => {
                has_letter(command, &['O', 'J']) || has_long(command, &["remote-name", "remote-name-all"])
            }
        };
        if !takes_name {
            return None;
        }
        let by_server = has_letter(command, &['J', 'i', 'r', 'm'])
            || has_long(
                command,
                &["remote-header-name", "content-disposition", "mirror", "recursive", "input-file"],
            );
        let name_of = |word: &&Word| {
            let text = word.known()?;
            let path = text.split(['?', '#']).next().unwrap_or_default();
            Some(path.rsplit('/').next().unwrap_or_default().to_owned()).filter(|name| !name.is_empty())
        };
        let here = || self.word(&Word::literal("."), Reach::Directory);
        operands(command).iter().find_map(|word| match name_of(word).filter(|_| !by_server) {
            Some(name) => self.word(&Word::literal(name), Reach::Path),
            None => here(),
        })
    }

    /// `sed` and `awk`: files that are edited in place, and a program text that names what is protected.
    pub(super) fn text_tool(&self, command: &Command) -> Option<Touched> {
        let operands = operands(command);
        let all = || operands.iter().find_map(|word| self.argument(word));
        let is_sed = command.program().is_some_and(|program| program.ends_with("sed"));
        let in_place = |word: &Word| {
            let text = word.text();
            let letters = text.split(['e', 'f', 'l']).next().unwrap_or_default();
            text.starts_with("--i")
                || (text.starts_with('-') && !text.starts_with("--") && letters.contains('i'))
        };
        let edits = match is_sed {
            true => command.args().iter().any(in_place),
            false => has_word(command, &["inplace"]),
        };
        let mut codes =
            option_values(command, &['e', 'f', 'v', 'E'], &["expression", "file", "source", "assign"]);
        codes.extend(operands.first().map(|word| (*word).clone()));
        let text: String = codes.iter().map(Word::text).collect::<Vec<_>>().join("\n");
        // `awk` may write the files that it reads, or what it is given as `name=value`.
        let writes_input = !is_sed
            && (text.contains("FILENAME") || text.contains("ARGV"))
            && ["system", ">", "|", "getline"].iter().any(|word| text.contains(word));
        if edits || writes_input {
            return all();
        }
        let given = operands.iter().skip(1).find_map(|word| {
            let at = word.text().find('=')?;
            self.word(&tail(word, at + 1)?, Reach::Path)
        });
        // The first operand is a file where the program text is behind an option.
        let is_path = codes.len() > 1 && operands.first().is_some_and(|word| codes.last() == Some(word));
        let text = if is_path {
            codes[..codes.len() - 1].iter().map(Word::text).collect::<Vec<_>>().join("\n")
        } else {
            text
        };
        given.or_else(|| Search { judge: self, text: &text }.named())
    }
}

/// `[abc]` as any one character.
fn without_sets(pattern: &str) -> String {
    let mut result = String::new();
    let mut rest = pattern;
    while let Some((before, behind)) = rest.split_once('[') {
        result.push_str(before);
        match behind.get(1..).and_then(|it| it.split_once(']')) {
            Some((_, after)) => {
                result.push('?');
                rest = after;
            }
            None => {
                result.push('[');
                rest = behind;
            }
        }
    }
    result + rest
}

/// What a copy of this file is called; none when that is not known.
fn last_name(source: &Word) -> Option<Word> {
    if is_partly_unknown(source) {
        return None;
    }
    let mut source = source.clone();
    if let Some(Piece::Text(text)) = source.pieces.last_mut() {
        *text = text.trim_end_matches('/').to_owned();
    }
    let has_slash = |piece: &Piece| matches!(piece, Piece::Text(text) if text.contains('/'));
    let Some(at) = source.pieces.iter().rposition(has_slash) else { return Some(source) };
    let mut name = Word::default();
    if let Some(Piece::Text(text)) = source.pieces.get(at) {
        name.push_text(text.rsplit('/').next().unwrap_or_default());
    }
    name.pieces.extend_from_slice(&source.pieces[at + 1..]);
    Some(name)
}

/// `which boathook`, whose output another command may change.
pub(super) fn asks_for_program(command: &Command) -> bool {
    let looks =
        matches!(command.program(), Some("which" | "type" | "whereis" | "command" | "realpath" | "readlink"));
    looks && command.args().iter().any(|word| word.text() == PROGRAM)
}

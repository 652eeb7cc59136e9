//! What a code block of a page is, by the words behind its backticks.

use std::path::Path;

use boathook_engine::event::EventKind;

use crate::pages::Fence;

pub enum Block {
    /// Written to this path.
    File(String),
    /// Given to the hooks of this event.
    Payload(EventKind),
    /// What the payload before it gets back.
    Answer { exit: i32 },
    /// A hooks.json that is read and not run.
    Hooks,
    /// Typed commands and what is seen.
    Session,
    /// Nothing to run.
    Picture,
}

pub fn block_of(fence: &Fence, page: &Path) -> Result<Block, String> {
    if fence.is("not-run") {
        return Ok(Block::Picture);
    }
    if let Some(path) = fence.value("file") {
        return Ok(Block::File(path.to_owned()));
    }
    match fence.language.as_str() {
        "text" => Ok(Block::Picture),
        // Compared with the library's own example, which is compiled.
        "rust" if page.ends_with("README.md") => Ok(Block::Picture),
        "console" => Ok(Block::Session),
        "json" if fence.is("hooks") => Ok(Block::Hooks),
        "json" if fence.is("payload") => event_of(fence, page).map(Block::Payload),
        "json" if fence.is("answer") => exit_of(fence).map(|exit| Block::Answer { exit }),
        _ => Err(format!(
            "what is this `{}` block? Mark it `file=PATH`, `payload`, `answer`, `hooks` or `not-run`",
            fence.language
        )),
    }
}

fn event_of(fence: &Fence, page: &Path) -> Result<EventKind, String> {
    let of_page = page.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let name = fence.value("event").unwrap_or(of_page);
    EventKind::named(name).ok_or_else(|| format!("`{name}` is no event: write `payload event=stop`"))
}

fn exit_of(fence: &Fence) -> Result<i32, String> {
    let exit = fence.value("exit").unwrap_or("0");
    exit.parse().map_err(|_| format!("`exit={exit}` is no exit code"))
}

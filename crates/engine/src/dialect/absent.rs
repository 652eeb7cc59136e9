//! Rows of coverage for what only the original product has.

use crate::agent::{Covered, Effect, Reach};
use crate::event::{AnswerField, EventKind};

const TAB: &str = "there is no Tab";
const WORKSPACE: &str = "it does not tell when a workspace opens";

/// One row.
pub(super) const fn row(
    event: EventKind,
    reach: Reach,
    fields: &'static [(AnswerField, Effect)],
    note: &'static str,
) -> Covered {
    Covered { event, reach, fields, note }
}

/// No Tab, so nothing it reads.
pub(super) const NO_TAB_READ: Covered = row(
    EventKind::BeforeTabFileRead,
    Reach::NotAvailable,
    &[(AnswerField::Permission, Effect::Lost(TAB)), (AnswerField::NewContent, Effect::Lost(TAB))],
    TAB,
);

/// No Tab, so nothing it edits.
pub(super) const NO_TAB_EDIT: Covered = row(EventKind::AfterTabFileEdit, Reach::NotAvailable, &[], TAB);

/// No word about workspaces.
pub(super) const NO_WORKSPACE: Covered = row(
    EventKind::WorkspaceOpen,
    Reach::NotAvailable,
    &[(AnswerField::PluginPaths, Effect::Lost(WORKSPACE))],
    WORKSPACE,
);

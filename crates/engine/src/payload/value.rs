//! The value of a field, as it was written: a payload's own, or one that many
//! payloads share.

use std::ops::Deref;
use std::sync::Arc;

use serde_json::value::RawValue;

/// One value.
#[derive(Debug, Clone)]
pub(crate) enum FieldValue {
    Own(Box<RawValue>),
    Shared(Arc<RawValue>),
}

impl From<Box<RawValue>> for FieldValue {
    fn from(value: Box<RawValue>) -> FieldValue {
        FieldValue::Own(value)
    }
}

impl From<Arc<RawValue>> for FieldValue {
    fn from(value: Arc<RawValue>) -> FieldValue {
        FieldValue::Shared(value)
    }
}

impl Deref for FieldValue {
    type Target = RawValue;
    fn deref(&self) -> &RawValue {
        match self {
            FieldValue::Own(value) => value,
            FieldValue::Shared(value) => value,
        }
    }
}

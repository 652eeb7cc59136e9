//! Values of the API as the database keeps them: words as the API spells
//! them, lists as JSON, numbers without a sign as numbers with one.

use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::any::AnyRow;
use sqlx::{ColumnIndex, Row};

use super::error::StoreError;

/// The word for a value, as the API spells it.
pub fn word<T: Serialize>(value: &T) -> Result<String, StoreError> {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => Ok(word),
        other => Err(StoreError::Unfit(format!("{other:?} is no word"))),
    }
}

/// The value of a word.
pub fn value<T: DeserializeOwned>(word: String) -> Result<T, StoreError> {
    let what = format!("the word {word:?}");
    serde_json::from_value(serde_json::Value::String(word)).map_err(|_| StoreError::Unreadable { what })
}

/// A value as JSON.
pub fn json<T: Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Unfit(error.to_string()))
}

/// A value from JSON.
pub fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Unreadable { what: format!("JSON ({error})") })
}

/// A number as the database counts.
pub fn stored(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|_| StoreError::Unfit(format!("{number} is more than a database can hold")))
}

/// A column's number without a sign, in whatever width is wanted.
pub fn number<T: TryFrom<i64>>(row: &AnyRow, column: impl ColumnIndex<AnyRow>) -> Result<T, StoreError> {
    let number: i64 = row.try_get(column)?;
    T::try_from(number).map_err(|_| StoreError::Unreadable { what: format!("the number {number}") })
}

/// A column's yes or no.
pub fn flag(row: &AnyRow, column: impl ColumnIndex<AnyRow>) -> Result<bool, StoreError> {
    Ok(row.try_get::<i64, _>(column)? != 0)
}

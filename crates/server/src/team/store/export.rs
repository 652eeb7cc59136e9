//! Everything in a database as text, and back: one JSON line for each row, and
//! a digest at the end.
//!
//! The text is the same whichever database it comes from, so that two
//! databases hold the same when their digests are equal. Keys and tokens are in
//! it as the database has them: sealed, and as digests.

use std::io::{BufRead, Write};

use boathook_engine::digest::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::Query;
use sqlx::{Any, AssertSqlSafe, Row, Transaction};

use super::Store;
use super::error::StoreError;
use super::open::Kind;
use super::schema::STEPS;
use super::tables::{Column, Holds, TABLES, Table};

/// The format of the text.
const FORMAT: u32 = 1;
/// How many rows are fetched together.
const PAGE: i64 = 100;

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    boathook_export: u32,
    schema: i64,
}

/// Every other line.
#[derive(Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Line {
    Row { table: String, row: Vec<Value> },
    End { rows: u64, sha256: Digest },
}

/// A digest that takes lines one by one: each is hashed together with all
/// before it.
struct Chain {
    digest: Digest,
    rows: u64,
}

impl Chain {
    fn new() -> Chain {
        Chain { digest: Digest::of(b""), rows: 0 }
    }

    fn add(&mut self, line: &str) {
        let mut bytes = self.digest.as_bytes().to_vec();
        bytes.extend_from_slice(line.trim_end().as_bytes());
        self.digest = Digest::of(&bytes);
    }
}

impl Store {
    /// Writes everything, as it is at one moment. Gives the digest of the text.
    pub async fn export(&self, out: &mut (dyn Write + Send)) -> Result<Digest, StoreError> {
        let begin = match self.kind {
            Kind::Sqlite => "BEGIN",
            Kind::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        };
        let mut work = self.pool.begin_with(begin).await?;
        let mut chain = Chain::new();
        write_line(out, &mut chain, &Head { boathook_export: FORMAT, schema: newest_schema() })?;
        for table in TABLES {
            self.export_table(&mut work, table, &mut chain, out).await?;
        }
        let (rows, sha256) = (chain.rows, chain.digest);
        write_line(out, &mut chain, &Line::End { rows, sha256 })?;
        out.flush().map_err(unwritable)?;
        Ok(sha256)
    }

    async fn export_table(
        &self,
        work: &mut Transaction<'static, Any>,
        table: &Table,
        chain: &mut Chain,
        out: &mut (dyn Write + Send),
    ) -> Result<(), StoreError> {
        let (names, name, order) = (table.names(), table.name, self.order(table));
        let sql = format!("SELECT {names} FROM {name} ORDER BY {order} LIMIT $1 OFFSET $2");
        for page in 0.. {
            let query = sqlx::query(AssertSqlSafe(sql.clone())).bind(PAGE).bind(page * PAGE);
            let rows = query.fetch_all(&mut **work).await?;
            for row in &rows {
                let row =
                    table.columns.iter().map(|column| to_json(row, *column)).collect::<Result<_, _>>()?;
                write_line(out, chain, &Line::Row { table: name.to_owned(), row })?;
                chain.rows += 1;
            }
            if (rows.len() as i64) < PAGE {
                break;
            }
        }
        Ok(())
    }

    /// The same order everywhere: by bytes, not by the language of a server.
    fn order(&self, table: &Table) -> String {
        let columns = table.columns.iter().take(table.key);
        let terms: Vec<String> = columns
            .map(|column| match (self.kind, column.holds) {
                (Kind::Postgres, Holds::Text) => format!("{} COLLATE \"C\"", column.name),
                (Kind::Sqlite | Kind::Postgres, _) => column.name.to_owned(),
            })
            .collect();
        terms.join(", ")
    }

    /// Reads what [`Store::export`] wrote into a database without teams: all of
    /// it, or nothing when a line is missing or changed. Gives the digest.
    pub async fn import(&self, from: &mut (dyn BufRead + Send)) -> Result<Digest, StoreError> {
        let mut work = self.write().await?;
        let teams = sqlx::query("SELECT team_id FROM teams LIMIT 1").fetch_optional(&mut *work).await?;
        if teams.is_some() {
            return Err(StoreError::Exists("a team in the database to import into".to_owned()));
        }
        let mut chain = Chain::new();
        let schema = check_head(&read_line(from)?, &mut chain)?;
        loop {
            let text = read_line(from)?;
            let line: Line =
                serde_json::from_str(&text).map_err(|error| broken(&chain, &error.to_string()))?;
            match line {
                Line::End { rows, sha256 } if rows == chain.rows && sha256 == chain.digest => break,
                Line::End { .. } => return Err(broken(&chain, "the digest at its end is another")),
                Line::Row { table, row } => import_row(&mut work, &chain, schema, &table, row).await?,
            }
            chain.add(&text);
            chain.rows += 1;
        }
        work.commit().await?;
        Ok(chain.digest)
    }
}

fn newest_schema() -> i64 {
    STEPS.last().map_or(0, |step| step.number)
}

/// The schema of the export, when this version knows it.
fn check_head(text: &str, chain: &mut Chain) -> Result<i64, StoreError> {
    let Ok(head) = serde_json::from_str::<Head>(text) else {
        return Err(StoreError::Unfit("this is no export of a team server's database".to_owned()));
    };
    let known = newest_schema();
    if head.boathook_export != FORMAT || head.schema > known {
        return Err(StoreError::Newer { found: head.schema.max(known + 1), known });
    }
    chain.add(text);
    Ok(head.schema)
}

async fn import_row(
    work: &mut Transaction<'static, Any>,
    chain: &Chain,
    schema: i64,
    table: &str,
    mut row: Vec<Value>,
) -> Result<(), StoreError> {
    let Some(table) = TABLES.iter().find(|known| known.name == table) else {
        return Err(broken(chain, &format!("there is no table {table:?}")));
    };
    if row.len() != table.width(schema) {
        return Err(broken(chain, "it has another number of columns"));
    }
    row.resize(table.columns.len(), Value::Null);
    let places: Vec<String> = (1..=row.len()).map(|place| format!("${place}")).collect();
    let (name, names, places) = (table.name, table.names(), places.join(", "));
    let sql = format!("INSERT INTO {name} ({names}) VALUES ({places})");
    let mut query = sqlx::query(AssertSqlSafe(sql));
    for (column, value) in table.columns.iter().zip(row) {
        let misfit = || broken(chain, &format!("{} holds something else", column.name));
        query = bind(query, *column, value).ok_or_else(misfit)?;
    }
    query.execute(&mut **work).await?;
    Ok(())
}

fn to_json(row: &AnyRow, column: Column) -> Result<Value, StoreError> {
    let value = match column.holds {
        Holds::Number => row.try_get::<Option<i64>, _>(column.name)?.map(Value::from),
        Holds::Text => row.try_get::<Option<String>, _>(column.name)?.map(Value::from),
        Holds::Bytes => row.try_get::<Option<Vec<u8>>, _>(column.name)?.map(|bytes| to_hex(&bytes).into()),
    };
    Ok(value.unwrap_or(Value::Null))
}

fn bind(
    query: Query<'static, Any, AnyArguments>,
    column: Column,
    value: Value,
) -> Option<Query<'static, Any, AnyArguments>> {
    Some(match (column.holds, value) {
        (Holds::Number, Value::Null) => query.bind(None::<i64>),
        (Holds::Text, Value::Null) => query.bind(None::<String>),
        (Holds::Bytes, Value::Null) => query.bind(None::<Vec<u8>>),
        (Holds::Number, Value::Number(number)) => query.bind(number.as_i64()?),
        (Holds::Text, Value::String(text)) => query.bind(text),
        (Holds::Bytes, Value::String(text)) => query.bind(from_hex(&text)?),
        (Holds::Number | Holds::Text | Holds::Bytes, _) => return None,
    })
}

fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let pairs =
        bytes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    pairs.map(char::from).collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}

fn write_line(
    out: &mut (dyn Write + Send),
    chain: &mut Chain,
    line: &impl Serialize,
) -> Result<(), StoreError> {
    let mut text = super::words::json(line)?;
    chain.add(&text);
    text.push('\n');
    out.write_all(text.as_bytes()).map_err(unwritable)
}

fn read_line(from: &mut (dyn BufRead + Send)) -> Result<String, StoreError> {
    let mut text = String::new();
    let read = from.read_line(&mut text);
    match read.map_err(|error| StoreError::Unfit(format!("the export cannot be read: {error}")))? {
        0 => Err(StoreError::Unfit("the export ends before its last line".to_owned())),
        _ => Ok(text),
    }
}

fn unwritable(error: std::io::Error) -> StoreError {
    StoreError::Unfit(format!("the export cannot be written: {error}"))
}

fn broken(chain: &Chain, why: &str) -> StoreError {
    StoreError::Unfit(format!("line {} of the export cannot be taken: {why}", chain.rows + 2))
}

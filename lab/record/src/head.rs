//! A shard's record as far as merging needs it, and what is kept of a merge.

use std::path::Path;

use humdrum_model::{FNV1A, Fault, MergeFacts, ShardRecord, fnv1a};
use rusqlite::{Connection, Result, params};

use crate::faults::{damaged, writing};
use crate::json::{from_json, to_json};
use crate::open;
use crate::read::{head, meta_value};
use crate::store::Store;

/// The key in `meta` of what is kept of a merge, in the first record of its folder.
const MERGE: &str = "merge";

/// Blocks at either end that a digest is made of. Two measurements differ in each of them, so that more would cost only time.
const DIGEST_BLOCKS: i64 = 32;

impl Store {
    /// The record without its measurements, how far it came, and by what it differs from others. `named` is what messages call it.
    ///
    /// # Errors
    /// As `read`.
    pub fn read_shard(&self, named: impl Into<String>) -> std::result::Result<ShardRecord, Fault> {
        let read = |connection: &Connection| Ok((head(connection)?, begins(connection)?, ends(connection)?));
        let (record, ends_with_a_beginning, (last_block, digest)) = self.in_one_moment(read)?;
        let (file, named) = (self.path.clone(), named.into());
        Ok(ShardRecord { file, named, record, last_block, ends_with_a_beginning, digest })
    }

    /// Keeps it.
    ///
    /// # Errors
    /// Environment: full disk.
    pub(crate) fn keep_merge_facts(&mut self, facts: &MergeFacts) -> std::result::Result<(), Fault> {
        let text = to_json(facts).map_err(|error| writing(&self.path, &error))?;
        self.set_meta(MERGE, &text)
    }
}

/// What is kept of a merge in a file; `None` for a record that is not the first one of merged results. The schema is left as it is.
///
/// # Errors
/// Usage: the file cannot be read.
pub(crate) fn merge_facts(path: &Path) -> std::result::Result<Option<MergeFacts>, Fault> {
    let connection = open::as_it_is(path)?;
    let facts = meta_value(&connection, MERGE).and_then(|text| text.as_deref().map(from_json).transpose());
    facts.map_err(|error| damaged(path, &error))
}

/// Whether the last session has no block. When a session begins, all that was appended is moved into the file, so that a file without
/// its log ends there.
fn begins(connection: &Connection) -> Result<bool> {
    let sql = "SELECT (SELECT max(number) FROM session) IS NOT (SELECT session FROM block ORDER BY id DESC LIMIT 1)";
    connection.query_row(sql, [], |row| row.get(0))
}

/// The id of the last block, and a checksum of the first and last blocks' slices.
fn ends(connection: &Connection) -> Result<(i64, String)> {
    let last: i64 = connection.query_row("SELECT coalesce(max(id), 0) FROM block", [], |row| row.get(0))?;
    // Two ranges of the key. One statement with both and an order would read all slices.
    let sql = "SELECT block, subject, start_ns, wall_ns, operations, client_cpu_ns FROM slice \
               WHERE block > ?1 AND block <= ?2 ORDER BY block, position";
    let mut statement = connection.prepare(sql)?;
    let mut hash = FNV1A;
    for (after, to) in [(0, DIGEST_BLOCKS), (DIGEST_BLOCKS.max(last - DIGEST_BLOCKS), last)] {
        let mut rows = statement.query(params![after, to])?;
        while let Some(row) = rows.next()? {
            for column in 0..6 {
                hash = fnv1a(hash, &row.get::<_, i64>(column)?.to_le_bytes());
            }
        }
    }
    Ok((last, format!("{hash:016x}")))
}

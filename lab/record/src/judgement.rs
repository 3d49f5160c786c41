//! A shard's judgement as if its host had measured nothing else, made when the shard came to its end and kept in its record. A merge
//! of many shards then need not read their blocks, which takes longer than everything else.

use std::path::Path;

use humdrum_model::{Fault, Results};
use rusqlite::{Connection, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::append::insert_meta;
use crate::folder::ResultsFolder;
use crate::json::{from_json, to_json};
use crate::open::check_pages;
use crate::pooled::{renumbered, shards};
use crate::read::meta_value;
use crate::store::Store;

/// The key in `meta`.
pub(crate) const KEY: &str = "judgement";

/// Of a record up to this size (some 100,000 blocks) all pages are checked, which takes a tenth of a second; of a larger one only
/// the length is.
const CHECKED_BYTES: u64 = 32 << 20;

#[derive(Serialize, Deserialize)]
struct Kept<T> {
    /// Which rules judged: others may judge otherwise.
    rules: String,
    /// The id of the last block then.
    last_block: i64,
    judgement: T,
}

/// A finished shard's record as that of its host, where the host has no other shard: what is read after they were merged.
pub fn as_host(shard: Results) -> Results {
    let mut whole = renumbered(shard);
    whole.plan = whole.plan.whole();
    whole.finished = true;
    whole
}

/// The judgement that the only shard of a merged record has; `None` where the record has several shards, or where its blocks have to
/// be read: by other rules, or because the shard is damaged.
pub fn only_shards_judgement<T: DeserializeOwned>(merged: &Path, rules: &str) -> Option<T> {
    let numbers = shards(&Store::open_quickly(merged).ok()?.connection).ok()?;
    let [number] = numbers.as_slice() else { return None };
    let folder = ResultsFolder { folder: merged.parent()?.to_path_buf() }.whole();
    Store::open_quickly(&folder.shard(*number)).ok()?.judgement(rules)
}

impl Store {
    /// Keeps the judgement of a finished shard.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn keep_judgement(
        &mut self,
        rules: &str,
        judgement: &impl Serialize,
    ) -> std::result::Result<(), Fault> {
        self.append(|connection| {
            let kept = Kept { rules: rules.to_owned(), last_block: last_block(connection)?, judgement };
            insert_meta(connection, KEY, &to_json(&kept)?)
        })
    }

    fn judgement<T: DeserializeOwned>(&self, rules: &str) -> Option<T> {
        let length = std::fs::metadata(&self.path).ok()?.len();
        if length < pages_bytes(&self.connection).ok()? {
            return None;
        }
        if length <= CHECKED_BYTES {
            check_pages(&self.path, &self.connection).ok()?;
        }
        let read = |connection: &Connection| -> Result<Option<T>> {
            let Some(text) = meta_value(connection, KEY)? else { return Ok(None) };
            let kept: Kept<T> = from_json(&text)?;
            let is_of_these = kept.rules == rules && kept.last_block == last_block(connection)?;
            Ok(Some(kept.judgement).filter(|_| is_of_these))
        };
        read(&self.connection).ok().flatten()
    }
}

fn last_block(connection: &Connection) -> Result<i64> {
    connection.query_row("SELECT coalesce(max(id), 0) FROM block", [], |row| row.get(0))
}

/// The length that the file has by its head.
fn pages_bytes(connection: &Connection) -> Result<u64> {
    let sql = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
    connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map(i64::cast_unsigned)
}

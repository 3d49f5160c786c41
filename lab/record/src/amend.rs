//! The few changes to rows that were appended before: the metrics, once the servers are known; blocks that a rule
//! discards at the end of its window; sessions that begin anew.

use std::ops::RangeInclusive;

use humdrum_model::{Fault, Metric};
use rusqlite::params;

use crate::append::insert_metric;
use crate::store::Store;

/// Tables whose rows are of one session each.
const MEASURED: [&str; 7] = ["block", "latency", "state", "debt", "step", "host_reading", "event"];

impl Store {
    /// Sets the metrics of the readings in every slice. With the same list again (a resumed run), it does nothing.
    ///
    /// # Errors
    /// Usage when the file has other metrics, because such a run cannot be resumed.
    pub fn keep_metrics(&mut self, metrics: &[Metric]) -> Result<(), Fault> {
        let known = self.read_head()?.metrics;
        if known == metrics {
            return Ok(());
        }
        if !known.is_empty() {
            let what = format!("{} holds other readings than this humdrum takes", self.path.display());
            return Err(Fault::usage(what).hint("start the comparison anew, with another --out"));
        }
        self.append(|transaction| {
            let mut rows = metrics.iter().enumerate();
            rows.try_for_each(|(position, metric)| insert_metric(transaction, position, metric))
        })
    }

    /// Marks blocks of one (test, session) as discarded, and why. A block that was discarded before keeps its first
    /// reason.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn discard_blocks(
        &mut self,
        test: &str,
        session: u32,
        indices: RangeInclusive<u32>,
        reason: &str,
    ) -> Result<(), Fault> {
        self.append(|transaction| {
            let sql = "UPDATE block SET discarded = ?1 WHERE test = ?2 AND session = ?3 \
                       AND \"index\" BETWEEN ?4 AND ?5 AND discarded IS NULL";
            let row = params![reason, test, session, indices.start(), indices.end()];
            transaction.prepare_cached(sql)?.execute(row).map(|_| ())
        })
    }

    /// Deletes everything that was measured in a session, failures included, but not the session. For an interrupted
    /// session that begins anew.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn forget_session(&mut self, session: u32) -> Result<(), Fault> {
        self.append(|transaction| {
            let slices = "DELETE FROM slice WHERE block IN (SELECT id FROM block WHERE session = ?1)";
            transaction.execute(slices, [session])?;
            MEASURED.iter().try_for_each(|table| {
                let sql = format!("DELETE FROM {table} WHERE session = ?1");
                transaction.execute(&sql, [session]).map(|_| ())
            })
        })
    }
}

//! The few things that are changed of what was appended before: what readings are, once the servers have told, which
//! blocks a rule discards, once its window is over, and sessions that are begun anew.

use std::ops::RangeInclusive;

use humdrum_model::{Fault, Metric};
use rusqlite::params;

use crate::append::insert_metric;
use crate::store::Store;

/// Tables whose rows are of one session each.
const MEASURED: [&str; 6] = ["block", "latency", "state", "debt", "step", "event"];

impl Store {
    /// Sets what the readings of every slice are. Asked again with the same list (a resumed run), does nothing.
    ///
    /// # Errors
    /// Usage when the file holds other readings: made with other probes, it cannot be gone on with.
    pub fn keep_metrics(&mut self, metrics: &[Metric]) -> Result<(), Fault> {
        let known = self.read()?.metrics;
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

    /// Marks blocks of one (test, session) as discarded, and why; a block that was discarded already keeps its
    /// first reason.
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

    /// Deletes all that was measured in a session, its failures included; the session itself stays. For one that was
    /// interrupted and is done anew from its beginning.
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

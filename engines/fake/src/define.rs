//! Tables and indexes as far as the fake server remembers them: that they are there.

use std::sync::atomic::Ordering;

use crate::latency::Shape;
use crate::state::{State, Table};

impl State {
    /// Whether rows are found by `k` only by reading a whole table.
    pub(crate) fn no_index(&self) -> bool {
        self.script.no_index || self.index_dropped.load(Ordering::Relaxed)
    }

    /// Does what a statement defines. Returns the table whose rows it counts, if it does that.
    pub(crate) fn define(&self, sql: &str) -> Option<Table> {
        let upper = sql.trim_start().to_ascii_uppercase();
        if upper.starts_with("DROP INDEX") {
            self.index_dropped.store(true, Ordering::Relaxed);
        }
        let table = Shape::of(sql).table?;
        if upper.starts_with("DROP TABLE") {
            self.tables().remove(&table);
        }
        if upper.starts_with("CREATE TABLE") {
            self.index_dropped.store(false, Ordering::Relaxed);
            self.tables().entry(table.clone()).or_default();
        }
        let counts = upper.starts_with("SELECT COUNT(*)");
        counts.then(|| self.tables().get(&table).copied().unwrap_or_default())
    }
}

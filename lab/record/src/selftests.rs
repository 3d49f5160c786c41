//! Counts of selftests, in the same file as the history of this host: certificates are made from them, whenever they are
//! asked for. As with the history, no run fails because of it.

use std::path::Path;

use humdrum_model::{Fault, Finding, Level, Scope, SelftestCount};
use rusqlite::{Error, Row, TransactionBehavior, params};

use crate::history::{History, remark};

/// Appends what one run of a selftest found. Returns a remark instead of a fault.
pub fn keep(cache: &Path, counts: &[SelftestCount]) -> Option<String> {
    let kept = History::open(cache).and_then(|mut history| history.append_selftest(counts));
    kept.err().map(|fault| remark("this run is in no certificate", &fault))
}

/// What selftests found for these scopes, in the order of their runs' beginnings; nothing where it cannot be read: `doctor`
/// says what is wrong.
pub fn recall(cache: &Path, scopes: &[Scope]) -> Vec<SelftestCount> {
    let mut counts = all(cache).unwrap_or_default();
    counts.retain(|count| scopes.contains(&count.scope));
    counts
}

fn all(cache: &Path) -> Result<Vec<SelftestCount>, Fault> {
    History::find(cache)?.map_or_else(|| Ok(Vec::new()), |history| history.selftests())
}

/// What `doctor` says of selftests. Of a file that cannot be read, what it says of the history is enough.
pub fn finding(cache: &Path) -> Finding {
    let counts = all(cache).unwrap_or_default();
    let found = if counts.is_empty() { "none yet".to_owned() } else { told(&counts) };
    Finding { name: "selftests".to_owned(), level: Level::Fine, found, advice: String::new() }
}

/// `0 of 132 A/A verdicts wrong; the latest began at 2026-11-24T00:00:00Z`.
fn told(counts: &[SelftestCount]) -> String {
    let equal = counts.iter().filter(|count| count.injected == 0.0);
    let (wrong, verdicts) =
        equal.fold((0, 0), |(wrong, of), count| (wrong + count.wrong, of + count.verdicts));
    let latest = counts.iter().map(|count| count.started.as_str()).max().unwrap_or_default();
    format!("{wrong} of {verdicts} A/A verdicts wrong; the latest began at {latest}")
}

impl History {
    /// Appends counts, all or none. A count of the same run is replaced.
    ///
    /// # Errors
    /// Environment: damaged, full disk, or another process writes for more than ten seconds.
    pub fn append_selftest(&mut self, counts: &[SelftestCount]) -> Result<(), Fault> {
        self.change(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for one in counts {
                insert(&transaction, one)?;
            }
            transaction.commit()
        })
    }

    /// All counts, in the order of their runs' beginnings.
    ///
    /// # Errors
    /// Environment: damaged.
    pub fn selftests(&self) -> Result<Vec<SelftestCount>, Fault> {
        let sql = "SELECT run, started, tool, seed, generation, engine, class, clients, injected, seconds_per_test, \
                   verdicts, regressions, wrong FROM selftest ORDER BY started, run, injected, engine, class, clients";
        self.ask(|connection| connection.prepare(sql)?.query_map([], count)?.collect())
    }
}

fn insert(connection: &rusqlite::Connection, one: &SelftestCount) -> Result<(), Error> {
    let sql = "INSERT OR REPLACE INTO selftest (run, started, tool, seed, generation, engine, class, clients, injected, \
               seconds_per_test, verdicts, regressions, wrong) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
    let scope = &one.scope;
    connection.execute(
        sql,
        params![
            one.run,
            one.started,
            one.tool,
            // All 64 bits: an integer of SQLite has a sign.
            one.seed.to_string(),
            scope.generation,
            scope.engine,
            scope.class,
            scope.clients,
            one.injected,
            one.seconds_per_test,
            one.verdicts.cast_signed(),
            one.regressions.cast_signed(),
            one.wrong.cast_signed()
        ],
    )?;
    Ok(())
}

fn count(row: &Row<'_>) -> Result<SelftestCount, Error> {
    let number = |column| row.get::<_, i64>(column).map(i64::unsigned_abs);
    Ok(SelftestCount {
        run: row.get(0)?,
        started: row.get(1)?,
        tool: row.get(2)?,
        seed: row.get::<_, String>(3)?.parse().unwrap_or_default(),
        scope: Scope {
            generation: row.get(4)?,
            engine: row.get(5)?,
            class: row.get(6)?,
            clients: row.get(7)?,
        },
        injected: row.get(8)?,
        seconds_per_test: row.get(9)?,
        verdicts: number(10)?,
        regressions: number(11)?,
        wrong: number(12)?,
    })
}

//! Counts of selftests: what is appended is read back by scope, by several writers at once, in files of either schema.

use std::path::Path;

use humdrum_model::{HistoryEntry, Scope, SelftestCount};
use humdrum_record::History;
use humdrum_record::history::{keep as keep_history, path_in, recall as recall_history};
use humdrum_record::selftests::{finding, keep, recall};

fn scope(class: &str, clients: u32) -> Scope {
    Scope { engine: "fake".into(), class: class.into(), clients, generation: "Zen 3".into() }
}

fn count(run: &str, scope: &Scope, injected: f64, wrong: u64) -> SelftestCount {
    SelftestCount {
        run: run.into(),
        started: format!("2026-11-24T00:00:00Z {run}"),
        tool: "humdrum 0.1.0".into(),
        seed: u64::MAX,
        scope: scope.clone(),
        injected,
        seconds_per_test: 2.7,
        verdicts: 22,
        regressions: 1,
        wrong,
    }
}

#[test]
fn counts_are_read_back_by_scope_in_the_order_of_runs() {
    let folder = tempfile::tempdir().expect("folder");
    let cache = folder.path();
    let (point, other) = (scope("point", 1), scope("point", 4));
    assert!(recall(cache, std::slice::from_ref(&point)).is_empty() && !path_in(cache).exists());
    assert_eq!(finding(cache).found, "none yet");
    let [later, equal, slowed] =
        [count("run-2", &point, 0.0, 0), count("run-1", &point, 0.0, 2), count("run-1", &point, 0.02, 0)];
    let elsewhere = count("run-1", &other, 0.0, 5);
    assert_eq!(keep(cache, std::slice::from_ref(&later)), None);
    assert_eq!(keep(cache, &[slowed.clone(), equal.clone(), elsewhere.clone()]), None);
    assert_eq!(recall(cache, std::slice::from_ref(&point)), [equal.clone(), slowed.clone(), later.clone()]);
    assert_eq!(recall(cache, &[other]), [elsewhere]);
    // The same run again counts once.
    assert_eq!(keep(cache, std::slice::from_ref(&equal)), None);
    assert_eq!(recall(cache, &[point]), [equal, slowed, later]);
    let told = finding(cache).found;
    assert!(told.starts_with("7 of 66 A/A verdicts wrong; the latest began at ") && told.ends_with("run-2"));
}

#[test]
fn writers_wait_for_each_other() {
    let folder = tempfile::tempdir().expect("folder");
    let point = scope("point", 1);
    std::thread::scope(|threads| {
        for writer in 0..8 {
            let (cache, point) = (folder.path(), &point);
            threads.spawn(move || {
                for run in 0..5 {
                    let run = format!("{writer}-{run}");
                    assert_eq!(
                        keep(cache, &[0.0, 0.02].map(|injected| count(&run, point, injected, 0))),
                        None
                    );
                }
            });
        }
    });
    assert_eq!(recall(folder.path(), &[point]).len(), 80);
}

/// A history as the version before selftests left it.
fn of_schema_1(cache: &Path) {
    assert_eq!(
        keep_history(cache, &[HistoryEntry { class: "point".into(), ..HistoryEntry::default() }]),
        None
    );
    let file = rusqlite::Connection::open(path_in(cache)).expect("open");
    file.execute_batch("DROP TABLE selftest; PRAGMA user_version = 1").expect("as before");
}

#[test]
fn a_history_of_before_gets_its_table_and_keeps_its_runs() {
    let folder = tempfile::tempdir().expect("folder");
    let (cache, point) = (folder.path(), scope("point", 1));
    of_schema_1(cache);
    assert!(recall(cache, std::slice::from_ref(&point)).is_empty());
    assert_eq!(keep(cache, &[count("run", &point, 0.0, 0)]), None);
    assert_eq!(recall(cache, &[point]).len(), 1);
    assert_eq!(recall_history(cache, "", "", "point").0.len(), 1);
}

#[test]
fn of_a_damaged_file_nothing_is_known_and_a_run_is_told() {
    let folder = tempfile::tempdir().expect("folder");
    let (cache, point) = (folder.path(), scope("point", 1));
    std::fs::write(path_in(cache), "no database at all".repeat(100)).expect("written");
    assert!(recall(cache, std::slice::from_ref(&point)).is_empty() && History::find(cache).is_err());
    let remark = keep(cache, &[count("run", &point, 0.0, 0)]).expect("a remark");
    assert!(remark.starts_with("this run is in no certificate: ") && remark.contains("humdrum clean"));
}

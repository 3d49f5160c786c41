//! The history of a host: entries of several writers are read back by class, and a damaged file gives a
//! remark and no failure.

use std::fs;
use std::path::Path;

use humdrum_model::{HistoryEntry, Level};
use humdrum_record::history::{History, finding, keep, path_in, recall, remove};

fn entry(run: &str, class: &str, test: &str) -> HistoryEntry {
    HistoryEntry {
        run: run.into(),
        started: format!("2026-11-24T00:00:00Z {run}"),
        generation: "Zen 3".into(),
        engine: "fake".into(),
        class: class.into(),
        test: test.into(),
        pair: "fake@1 fake@2".into(),
        ln_ratio: -0.012_345_678_901_234_5,
        se: 0.001,
    }
}

fn class(cache: &Path, class: &str) -> Vec<HistoryEntry> {
    let (entries, remark) = recall(cache, "Zen 3", "fake", class);
    assert_eq!(remark, None);
    entries
}

#[test]
fn entries_are_read_back_by_class_in_the_order_of_runs() {
    let cache = tempfile::tempdir().expect("folder");
    assert!(
        class(cache.path(), "point").is_empty() && !path_in(cache.path()).exists(),
        "reading makes no file"
    );
    let [one, two, other] =
        [entry("run-2", "point", "hot"), entry("run-1", "point", "hot"), entry("run-1", "scan", "scan")];
    assert_eq!(keep(cache.path(), &[one.clone(), other.clone()]), None);
    assert_eq!(keep(cache.path(), std::slice::from_ref(&two)), None);
    assert_eq!(class(cache.path(), "point"), [two, one]);
    assert_eq!(class(cache.path(), "scan"), [other]);
    for (generation, engine) in [("Zen 4", "fake"), ("Zen 3", "another")] {
        assert_eq!(recall(cache.path(), generation, engine, "point"), (Vec::new(), None));
    }
}

#[test]
fn a_run_that_is_kept_twice_counts_once_and_odd_numbers_are_left_out() {
    let cache = tempfile::tempdir().expect("folder");
    let first = entry("run", "point", "hot");
    let later = HistoryEntry { ln_ratio: 0.5, ..first.clone() };
    let odd = [("nan", f64::NAN, 0.1), ("infinite", 0.1, f64::INFINITY)];
    let odd = odd.map(|(test, ln_ratio, se)| HistoryEntry { ln_ratio, se, ..entry("run", "point", test) });
    assert_eq!(keep(cache.path(), &[first]), None);
    assert_eq!(keep(cache.path(), &[&[later.clone()][..], &odd].concat()), None);
    assert_eq!(class(cache.path(), "point"), [later]);
}

#[test]
fn writers_wait_for_each_other() {
    const WRITERS: usize = 8;
    const RUNS: usize = 5;
    let cache = tempfile::tempdir().expect("folder");
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let cache = cache.path();
            scope.spawn(move || {
                for run in 0..RUNS {
                    let run = format!("{writer}-{run}");
                    let entries = ["a", "b", "c"].map(|test| entry(&run, "point", test));
                    assert_eq!(keep(cache, &entries), None);
                }
            });
        }
    });
    let history = History::find(cache.path()).expect("opens").expect("is there");
    assert_eq!(history.counts().expect("counts"), ((WRITERS * RUNS) as u64, (WRITERS * RUNS * 3) as u64));
}

/// Garbage from the first byte, in the middle of the file, and another program's file.
#[test]
fn a_damaged_file_is_told_of_and_fails_no_run() {
    let damages: [fn(&Path); 3] = [
        |path| {
            fs::write(path, "this is no database, and long enough to be taken for one".repeat(40))
                .expect("write")
        },
        |path| {
            let mut bytes = fs::read(path).expect("read");
            bytes[4096..].fill(0xa5);
            fs::write(path, bytes).expect("write");
        },
        |path| {
            fs::remove_file(path).expect("remove");
            let other = rusqlite::Connection::open(path).expect("open");
            other.execute_batch("CREATE TABLE another (x)").expect("create");
        },
    ];
    for (number, damage) in damages.iter().enumerate() {
        let cache = tempfile::tempdir().expect("folder");
        let entries: Vec<_> = (0..200).map(|test| entry("run", "point", &format!("test-{test}"))).collect();
        assert_eq!(keep(cache.path(), &entries), None);
        damage(&path_in(cache.path()));
        let remark = keep(cache.path(), &entries).unwrap_or_else(|| panic!("damage {number} was not seen"));
        assert!(remark.contains("is damaged") && remark.contains("humdrum clean --history"), "{remark}");
        let (found, remark) = recall(cache.path(), "Zen 3", "fake", "point");
        assert!(found.is_empty() && remark.is_some_and(|text| text.contains("humdrum clean --history")));
        let told = finding(cache.path());
        assert!(told.level == Level::Warning && told.advice.contains("humdrum clean --history"), "{told:?}");
        remove(cache.path()).expect("removed");
        assert_eq!(keep(cache.path(), &entries), None, "a new one is begun");
    }
}

#[test]
fn a_folder_that_cannot_be_written_fails_no_run() {
    let cache = tempfile::tempdir().expect("folder");
    let remark = keep(&cache.path().join("missing"), &[entry("run", "point", "hot")]).expect("a remark");
    assert!(remark.contains("HUMDRUM_CACHE"), "{remark}");
}

#[test]
fn a_newer_file_is_left_alone() {
    let cache = tempfile::tempdir().expect("folder");
    assert_eq!(keep(cache.path(), &[entry("run", "point", "hot")]), None);
    let newer = rusqlite::Connection::open(path_in(cache.path())).expect("open");
    newer.pragma_update(None, "user_version", 3).expect("update");
    drop(newer);
    let remark = keep(cache.path(), &[entry("later", "point", "hot")]).expect("a remark");
    assert!(remark.contains("newer humdrum"), "{remark}");
}

#[test]
fn doctor_is_told_how_many_runs_there_are() {
    let cache = tempfile::tempdir().expect("folder");
    assert_eq!(finding(cache.path()).found, "no runs yet");
    keep(cache.path(), &[entry("run-1", "point", "hot"), entry("run-1", "point", "cold")]);
    assert_eq!(finding(cache.path()).found, "1 run with 2 results");
    keep(cache.path(), &[entry("run-2", "point", "hot")]);
    assert_eq!(remove(&cache.path().join("missing")), Ok(()), "nothing to remove is no error");
    let found = finding(cache.path());
    assert_eq!(
        (found.level, found.found.as_str(), found.advice.as_str()),
        (Level::Fine, "2 runs with 3 results", "")
    );
}

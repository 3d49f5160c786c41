//! A results file returns what was appended, even after the program is killed.

mod common;

use std::path::{Path, PathBuf};

use common::{any_blocks, block, results, session};
use humdrum_model::Results;
use humdrum_record::Store;
use proptest::prelude::*;
use tempfile::TempDir;

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.sqlite");
    (folder, path)
}

fn read(path: &Path) -> Results {
    Store::open(path).unwrap().read().unwrap()
}

fn refusal(path: &Path) -> String {
    let fault = Store::open(path).unwrap_err();
    assert_eq!(fault.exit_code(), 2);
    assert!(fault.hint.is_some());
    fault.to_string()
}

/// SQLite does not let a file leave its write-ahead log while somebody reads it.
#[test]
fn a_reader_does_not_make_the_end_of_a_run_fail() {
    let (_folder, path) = folder();
    let mut store = Store::create(&path, &results()).unwrap();
    store.append_block(&block(0, 0)).unwrap();
    let reader = rusqlite::Connection::open(&path).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM block;").unwrap();
    store.finish().unwrap();
    drop(store);
    drop(reader);
    let found = read(&path);
    assert!(found.finished && found.blocks.len() == 1);
}

#[test]
fn everything_comes_back_and_one_file_remains() {
    let (folder, path) = folder();
    let mut store = Store::create(&path, &results()).unwrap();
    for index in 0..50 {
        store.append_block(&block(0, index)).unwrap();
    }
    store.note_seconds(0.1 + 0.7).unwrap();
    store.finish().unwrap();
    drop(store);
    let blocks = (0..50).map(|index| block(0, index)).collect();
    let expected = Results { blocks, seconds: 0.1 + 0.7, finished: true, ..results() };
    assert_eq!(read(&path), expected);
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["results.sqlite"]);
}

#[test]
fn a_killed_program_loses_no_block() {
    let (folder, path) = folder();
    let mut store = Store::create(&path, &results()).unwrap();
    let copy = folder.path().join("copy.sqlite");
    for index in 0..20 {
        store.append_block(&block(0, index)).unwrap();
        // A copy of the kernel's bytes at this moment is what a killed program leaves.
        for suffix in ["", "-wal"] {
            let named = |path: &Path| PathBuf::from(format!("{}{suffix}", path.display()));
            std::fs::copy(named(&path), named(&copy)).unwrap();
        }
        let _ = std::fs::remove_file(folder.path().join("copy.sqlite-shm"));
        let found = read(&copy);
        assert_eq!(found.blocks.len(), index as usize + 1);
        assert_eq!(found.blocks.last(), Some(&block(0, index)));
        assert!(!found.finished);
    }
}

#[test]
fn a_dropped_store_goes_on_where_it_was() {
    let (_folder, path) = folder();
    let mut store = Store::create(&path, &results()).unwrap();
    store.append_block(&block(0, 0)).unwrap();
    drop(store);
    let mut store = Store::open(&path).unwrap();
    store.lock().unwrap();
    store.append_session(&session(1)).unwrap();
    store.append_block(&block(1, 0)).unwrap();
    assert_eq!(store.read().unwrap().blocks, [block(0, 0), block(1, 0)]);
    store.finish().unwrap();
    drop(store);
    assert_eq!(read(&path).sessions, [session(0), session(1)]);
}

#[test]
fn a_finished_file_can_be_continued() {
    let (_folder, path) = folder();
    Store::create(&path, &results()).unwrap().finish().unwrap();
    let mut store = Store::open(&path).unwrap();
    store.lock().unwrap();
    store.append_block(&block(0, 0)).unwrap();
    drop(store);
    assert_eq!(read(&path).blocks, [block(0, 0)]);
}

#[test]
fn the_same_block_is_not_taken_twice() {
    let (_folder, path) = folder();
    let mut store = Store::create(&path, &results()).unwrap();
    store.append_block(&block(0, 0)).unwrap();
    assert!(store.append_block(&block(0, 0)).is_err());
    assert_eq!(store.read().unwrap().blocks, [block(0, 0)]);
}

#[test]
fn a_rule_discards_blocks_and_the_first_reason_stays() {
    let (_folder, path) = folder();
    let mut store = Store::create(&path, &results()).unwrap();
    (0..5).for_each(|index| store.append_block(&block(0, index)).unwrap());
    store.discard_blocks("scan", 0, 1..=2, "steal").unwrap();
    store.discard_blocks("scan", 0, 2..=3, "gap").unwrap();
    store.discard_blocks("scan", 1, 0..=9, "another session").unwrap();
    let reasons: Vec<_> = store.read().unwrap().blocks.into_iter().map(|block| block.discarded).collect();
    assert_eq!(
        reasons.iter().map(Option::as_deref).collect::<Vec<_>>(),
        [None, Some("steal"), Some("steal"), Some("gap"), None]
    );
}

#[test]
fn a_session_is_forgotten_whole_and_no_other_is() {
    let (_folder, path) = folder();
    let mut store = Store::create(&path, &results()).unwrap();
    for number in [0, 1] {
        (0..3).for_each(|index| store.append_block(&block(number, index)).unwrap());
    }
    store.append_session(&session(1)).unwrap();
    store.forget_session(0).unwrap();
    let found = store.read().unwrap();
    assert_eq!(found.blocks, (0..3).map(|index| block(1, index)).collect::<Vec<_>>());
    assert!(found.latencies.is_empty() && found.states.is_empty() && found.debts.is_empty());
    assert!(found.events.is_empty());
    // The one step is of session 1.
    assert_eq!((found.steps, found.sessions), (results().steps, vec![session(0), session(1)]));
    store.forget_session(1).unwrap();
    assert!(store.read().unwrap().steps.is_empty());
    (0..3).for_each(|index| store.append_block(&block(0, index)).unwrap());
}

#[test]
fn readings_are_named_once() {
    let (_folder, path) = folder();
    let metrics = results().metrics;
    let mut store = Store::create(&path, &Results { metrics: Vec::new(), ..results() }).unwrap();
    store.keep_metrics(&metrics).unwrap();
    store.keep_metrics(&metrics).unwrap();
    assert_eq!(store.read().unwrap().metrics, metrics);
    assert_eq!(store.keep_metrics(&[]).unwrap_err().exit_code(), 2);
}

#[test]
fn facts_of_a_subject_replace_earlier_ones() {
    let (_folder, path) = folder();
    let mut store = Store::create(&path, &results()).unwrap();
    let mut facts = results().subjects[0].clone();
    facts.settings.pop();
    store.append_subject(0, &facts).unwrap();
    assert_eq!(store.read().unwrap().subjects[0], facts);
    assert!(store.append_subject(9, &facts).is_err());
}

#[test]
fn two_writers_are_refused_and_a_reader_is_not() {
    let (_folder, path) = folder();
    let store = Store::create(&path, &results()).unwrap();
    let mut second = Store::open(&path).unwrap();
    assert_eq!(second.read().unwrap(), results());
    let fault = second.lock().unwrap_err();
    assert!(fault.to_string().contains("another humdrum is writing"), "{fault}");
    assert_eq!(fault.exit_code(), 2);
    drop(store);
    second.lock().unwrap();
}

#[test]
fn an_existing_file_is_not_overwritten() {
    let (_folder, path) = folder();
    std::fs::write(&path, "precious").unwrap();
    let fault = Store::create(&path, &results()).unwrap_err();
    assert!(fault.to_string().contains("exists already"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
}

#[test]
fn an_unwritable_place_is_named() {
    let fault = Store::create(Path::new("/proc/none/results.sqlite"), &results()).unwrap_err();
    assert!(fault.to_string().contains("/proc/none"), "{fault}");
    assert_eq!(fault.exit_code(), 2);
}

#[test]
fn files_that_are_not_ours_are_told_apart() {
    let (folder, path) = folder();
    assert!(refusal(&path).contains("there is no file"));
    assert!(refusal(folder.path()).contains("is a folder"));
    std::fs::write(&path, "no database at all, but long enough to be taken for one by its size").unwrap();
    assert!(refusal(&path).contains("not a results file"));
    std::fs::write(&path, "").unwrap();
    assert!(refusal(&path).contains("not a results file"));
    std::fs::remove_file(&path).unwrap();
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE other (x)").unwrap();
    assert!(refusal(&path).contains("not a results file"));
}

#[test]
fn a_newer_schema_is_refused() {
    let (_folder, path) = folder();
    drop(Store::create(&path, &results()).unwrap());
    rusqlite::Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 99").unwrap();
    assert!(refusal(&path).contains("newer humdrum"));
}

#[test]
fn damage_is_found_wherever_it_is() {
    let (_folder, path) = folder();
    let mut store = Store::create(&path, &results()).unwrap();
    (0..200).for_each(|index| store.append_block(&block(0, index)).unwrap());
    store.finish().unwrap();
    drop(store);
    let whole = std::fs::read(&path).unwrap();
    // Every page but the first, which says what the file is, is overwritten in turn.
    for start in (4096..whole.len()).step_by(4096) {
        let mut bytes = whole.clone();
        bytes[start..start + 4096].fill(0xa5);
        std::fs::write(&path, bytes).unwrap();
        match Store::open(&path).and_then(|store| store.read()) {
            Err(fault) => assert_eq!(fault.exit_code(), 2, "{fault}"),
            Ok(found) => assert_eq!(found.blocks.len(), 200, "page at {start} was lost unnoticed"),
        }
    }
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert!(refusal(&path).contains("damaged"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_blocks_come_back(blocks in any_blocks(), seconds in 0.0..1e9_f64, floor in prop::option::of(0.0..1.0_f64)) {
        let (_folder, path) = folder();
        let expected = Results { blocks, seconds, aa_floor: floor, ..results() };
        drop(Store::create(&path, &expected).unwrap());
        prop_assert_eq!(read(&path), expected);
    }
}

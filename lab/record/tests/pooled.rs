//! Merged results: records that refer to the shards in their folder.

mod common;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use common::{block, results, session};
use humdrum_model::{Results, Shard};
use humdrum_record::{Begun, ResultsFolder, Store, shards_in};

/// Shard `number` of two, with a session of five blocks.
fn shard(folder: &Path, number: u32, finished: bool) -> PathBuf {
    let mut record = results();
    record.plan.shard =
        Some(Shard { number, of: 2, seed: 1, screening_sessions: 0, confirmation_sessions: 4 });
    record.sessions = vec![session(0), session(1)];
    let path = folder.join(format!("shard-{number}.sqlite"));
    let mut store = Store::create(&path, &record).unwrap();
    for index in 0..5 {
        store.append_block(&block(1, index)).unwrap();
    }
    if finished {
        store.finish().unwrap();
    }
    path
}

/// The record of a host that measured both, in a folder with them.
fn merged(folder: &Path) -> ResultsFolder {
    let out = ResultsFolder::create(Some(&folder.join("merged")), &[]).unwrap();
    for number in [1, 2] {
        let file = shard(folder, number, number == 1);
        out.keep_shard(number, &file, number == 1).unwrap();
    }
    let head = Store::open(&out.shard(1)).unwrap().read_head().unwrap();
    let plan = head.plan.whole();
    Store::create_pooled(&out.results(), &Results { plan, finished: true, ..head }, &[1, 2], None).unwrap();
    out
}

#[test]
fn a_record_of_shards_has_their_sessions_under_the_numbers_of_the_whole_plan() {
    let folder = tempfile::tempdir().unwrap();
    let read = Store::open(&merged(folder.path()).results()).unwrap().read().unwrap();
    let numbers: Vec<u32> = read.sessions.iter().map(|session| session.number).collect();
    let blocks: Vec<(u32, u32)> = read.blocks.iter().map(|block| (block.session, block.index)).collect();
    let expected: Vec<(u32, u32)> =
        [2, 3].into_iter().flat_map(|one| (0..5).map(move |index| (one, index))).collect();
    assert_eq!((numbers, blocks), (vec![0, 1, 2, 3], expected));
    assert_eq!((read.loads.len(), read.latencies.len(), read.events.len()), (2, 2, 2));
    assert_eq!((read.examinations.len(), read.query_plans.len(), read.finished), (2, 1, true));
    assert_eq!(read.plan.shard, None);
}

#[test]
fn a_finished_shard_is_linked_and_a_running_one_is_copied_with_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let out = merged(folder.path());
    let inode = |path: &Path| fs::metadata(path).unwrap().ino();
    let source = |number: u32| folder.path().join(format!("shard-{number}.sqlite"));
    assert_eq!(inode(&out.shard(1)), inode(&source(1)));
    assert_ne!(inode(&out.shard(2)), inode(&source(2)));
    let [original, copy] = [source(2), out.shard(2)].map(|path| Store::open(&path).unwrap().read().unwrap());
    assert_eq!(original, copy);
    let kept = shards_in(&out, &out.results()).unwrap().expect("merged");
    assert_eq!(kept.files, [(1, out.shard(1)), (2, out.shard(2))]);
}

#[test]
fn the_folder_can_be_moved_and_a_missing_shard_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let out = merged(folder.path());
    let further = ResultsFolder { folder: out.folder.join("runs/2") };
    fs::create_dir_all(&further.folder).unwrap();
    fs::copy(out.results(), further.results()).unwrap();
    let moved = ResultsFolder { folder: folder.path().join("moved") };
    fs::rename(&out.folder, &moved.folder).unwrap();
    assert_eq!(Store::open(&moved.results()).unwrap().read().unwrap().blocks.len(), 10);
    let further = moved.folder.join("runs/2/results.sqlite");
    assert_eq!(Store::open(&further).unwrap().read().unwrap().blocks.len(), 10);
    fs::remove_file(moved.shard(2)).unwrap();
    let fault = Store::open(&moved.results()).unwrap().read().unwrap_err();
    assert!(fault.to_string().contains("shards/2/results.sqlite is missing"), "{fault}");
    assert!((fault.exit_code(), fault.hint.is_some()) == (2, true));
}

#[test]
fn a_shard_that_was_cut_off_is_refused_when_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = shard(folder.path(), 1, true);
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let fault = Store::open_quickly(&file).and_then(|store| store.read_shard("s")).unwrap_err();
    assert!(fault.to_string().contains("damaged"), "{fault}");
}

#[test]
fn how_far_a_shard_came_is_its_last_block() {
    let folder = tempfile::tempdir().unwrap();
    let read = Store::open(&shard(folder.path(), 2, false)).unwrap().read_shard("s").unwrap();
    assert_eq!((read.last_block, read.record.blocks.len(), read.record.finished), (5, 0, false));
}

#[test]
fn how_far_a_record_is_can_be_asked_without_reading_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.sqlite");
    assert_eq!(Store::begun(&path).unwrap(), Begun::No);
    fs::write(&path, "").unwrap();
    assert_eq!(Store::begun(&path).unwrap(), Begun::No);
    let [finished, running] = [1, 2].map(|number| shard(folder.path(), number, number == 1));
    assert_eq!(Store::begun(&finished).unwrap(), Begun::Finished);
    assert_eq!(Store::begun(&running).unwrap(), Begun::Yes);
    assert_eq!(Store::open(&running).unwrap().count_sessions().unwrap(), 2);
    fs::write(&path, "something else").unwrap();
    assert_eq!(Store::begun(&path).unwrap_err().exit_code(), 2);
}

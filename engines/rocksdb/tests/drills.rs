//! What happens when something goes wrong: workers that are killed or stopped, damaged files, libraries and options
//! that cannot be used. Each is a fault that says so. On the same real libraries as `real.rs`.

mod common;

use std::time::Duration;

use common::{KEYS, Rig, batch, fill, installed, refused, session};
use humdrum_contract::{KvOperation, KvStore, Server};
use humdrum_engine_rocksdb::play_worker_by_environment;
use humdrum_model::FaultKind;
use humdrum_provision::signal;

const RELEASE: &str = "10.10.1";

/// Not a test: what the workers of the others run.
#[test]
fn plays_the_worker() {
    play_worker_by_environment();
}

#[test]
fn a_worker_killed_while_it_writes_is_a_crash_and_loses_no_bytes() {
    let rig = Rig::new();
    let mut server = rig.started(RELEASE, &[("", "sixteenth")]);
    fill(&mut *session(&*server));
    let mut writing = session(&*server);
    let writer = std::thread::spawn(move || {
        writing.run(&batch(KvOperation::Put, 1_000_000_000), &mut |_, _| {}).expect_err("is killed")
    });
    std::thread::sleep(Duration::from_millis(300));
    let own = server.processes().iter().map(|process| process.pid).min().expect("a process");
    signal::send(own, libc::SIGKILL);
    let fault = server.explain(writer.join().expect("joins"));
    assert_eq!(fault.kind, FaultKind::Crash, "{fault}");
    assert!(fault.what.contains("ended in the middle") && fault.log_tail.is_some());
    assert!(session_refused(&*server).is_some_and(|kind| kind == FaultKind::Crash));
    server.start().expect("starts again");
    let contents = session(&*server).inspect(KvStore::Main).expect("every byte is right").expect("is there");
    assert_eq!(contents.rows, KEYS);
}

fn session_refused(server: &dyn Server) -> Option<FaultKind> {
    server.connect(Duration::from_secs(1)).err().map(|fault| fault.kind)
}

#[test]
fn a_damaged_file_is_named_as_such() {
    let rig = Rig::new();
    let mut server = rig.started(RELEASE, &[]);
    fill(&mut *session(&*server));
    server.stop().expect("stops");
    common::damage_tables(&server.data_folder().expect("folder").join("main"));
    let said = match server.start() {
        Err(fault) => fault,
        Ok(()) => session(&*server).inspect(KvStore::Main).expect_err("is damaged"),
    };
    assert_eq!(said.kind, FaultKind::Crash, "{said}");
    assert!(said.what.contains("Corruption"), "{said}");
    assert!(server.is_running() || said.log_tail.is_some());
}

#[test]
fn a_frozen_worker_does_not_answer() {
    let rig = Rig::new();
    let mut server = rig.started(RELEASE, &[]);
    fill(&mut *session(&*server));
    let mut hasty = session(&*server);
    hasty.set_timeout(Duration::from_millis(300)).expect("sets");
    server.freeze().expect("freezes");
    // The signal takes a moment to reach a thread that runs.
    let stopped = || server.processes().iter().all(|thread| signal::state(thread.pid) == Some('T'));
    assert!((0..2_000).any(|_| stopped() || {
        std::thread::sleep(Duration::from_millis(5));
        false
    }));
    let fault = hasty.run(&batch(KvOperation::Get, 10), &mut |_, _| {}).expect_err("is frozen");
    assert_eq!(fault.kind, FaultKind::Timeout, "{fault}");
    server.thaw().expect("thaws");
    let later = hasty.run(&batch(KvOperation::Get, 10), &mut |_, _| {}).expect_err("is out of step");
    assert_eq!(later.kind, FaultKind::Crash);
    assert_eq!(session(&*server).run(&batch(KvOperation::Get, 10), &mut |_, _| {}).expect("reads").rows, 10);
}

#[test]
fn options_that_are_not_taken_are_the_users() {
    let rig = Rig::new();
    for setting in [("write_bufer_size", "2M"), ("write_buffer_size", "many"), ("compression", "lz5")] {
        let mut server = rig.create(RELEASE, &[setting]).expect("creates");
        let fault = server.start().expect_err("refuses");
        assert_eq!(fault.exit_code(), 2, "{fault}");
        assert!(fault.what.contains(setting.0) || fault.what.contains(setting.1), "{fault}");
    }
}

#[test]
fn libraries_that_cannot_be_used_are_refused_with_the_reason() {
    let rig = Rig::new();
    let folder = tempfile::tempdir().expect("folder");
    common::open_to_all(folder.path());
    let text = folder.path().join("text.so");
    std::fs::write(&text, "no library").expect("write");
    assert!(refused(&rig, &text).contains("not a shared library"));
    assert!(refused(&rig, &common::c_library()).contains("not RocksDB"));
    let lacking = folder.path().join("lacking.so");
    common::copy_without(&installed(&rig, RELEASE), &lacking, "rocksdb_livefiles_count");
    assert!(refused(&rig, &lacking).contains("lacks rocksdb_livefiles_count"));
}

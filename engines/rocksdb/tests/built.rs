//! A library that is built here from crate sources, against the published one of the same release. Takes some twenty
//! minutes of a processor for a release that was not built yet: `HUMDRUM_BUILD` names the release.

mod common;

use common::{Rig, fill, mapped, session};
use humdrum_contract::KvSession;
use humdrum_engine_rocksdb::play_worker_by_environment;
use humdrum_model::Place;

/// Not a test: what the workers of the others run.
#[test]
fn plays_the_worker() {
    play_worker_by_environment();
}

#[test]
#[ignore = "builds RocksDB: some twenty minutes of a processor, once"]
fn a_built_library_holds_what_the_published_one_holds() {
    let release = std::env::var("HUMDRUM_BUILD").unwrap_or_else(|_| "10.10.1".to_owned());
    let rig = Rig::new();
    let source = Place::Source { path: "crate".into(), revision: Some(release.clone()) };
    let mut built = rig.of_place(source, &[("", "iobuf"), ("", "sixteenth")]);
    built.start().expect("starts");
    let facts = built.facts().expect("facts");
    assert_eq!(facts.version, release);
    assert!(facts.origin.contains("built here") && facts.build.iter().any(|line| line.contains("-O2")));
    let mut own = session(&*built);
    let published = rig.started(&release, &[("", "iobuf"), ("", "sixteenth")]);
    let mut theirs = session(&*published);
    assert_eq!(system_calls(&*own), system_calls(&*theirs));
    let (own, theirs) = (fill(&mut *own), fill(&mut *theirs));
    assert_eq!((own.rows, own.checksum), (theirs.rows, theirs.checksum));
}

/// Which of those calls a worker's library has that RocksDB's build system looks for.
fn system_calls(session: &dyn KvSession) -> Vec<&'static str> {
    let calls = [
        "fallocate",
        "sync_file_range",
        "malloc_usable_size",
        "backtrace_symbols",
        "sched_getcpu",
        "getauxval",
    ];
    let worker = session.server_process().expect("the worker is on this host");
    let library = std::fs::read(mapped(worker, "librocksdb")).expect("library");
    let has = |call: &&str| {
        let name = format!("\0{call}\0").into_bytes();
        library.windows(name.len()).any(|bytes| bytes == name)
    };
    calls.into_iter().filter(has).collect()
}

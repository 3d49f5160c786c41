//! A library that is built here from crate sources, against the published one of the same release. Takes some twenty
//! minutes of a processor for a release that was not built yet: `HUMDRUM_BUILD` names the release.

mod common;

use common::{Rig, fill, session};
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
    let own = fill(&mut *session(&*built));
    let published = rig.started(&release, &[("", "iobuf"), ("", "sixteenth")]);
    let theirs = fill(&mut *session(&*published));
    assert_eq!((own.rows, own.checksum), (theirs.rows, theirs.checksum));
}

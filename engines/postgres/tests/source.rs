//! A server that was built from sources.

use std::path::PathBuf;
use std::time::Duration;

use humdrum_contract::{Engine, Server, Silent};
use humdrum_engine_kit::testing::{Rig, SIZING, session, shown, single, subject};
use humdrum_engine_postgres::ENGINE;
use humdrum_model::Place;

/// `HUMDRUM_SOURCES` names a folder with sources.
#[test]
#[ignore = "slow: compiles PostgreSQL, some minutes the first time"]
fn a_server_of_sources_lives_and_is_built_once() {
    let path = std::env::var_os("HUMDRUM_SOURCES").expect("HUMDRUM_SOURCES names sources of PostgreSQL");
    let rig = Rig::new(ENGINE);
    let it = subject(ENGINE, Place::Source { path: PathBuf::from(path), revision: None }, &[]);
    let release = ENGINE.check(&it, &rig.dirs).expect("sources");
    let build = ENGINE.install(&it, &rig.dirs, &Silent).unwrap_or_else(|fault| panic!("{}", shown(&fault)));
    let began = std::time::Instant::now();
    ENGINE.install(&it, &rig.dirs, &Silent).expect("found");
    assert!(began.elapsed() < Duration::from_secs(30), "it is not compiled again");

    let mut server: Box<dyn Server> =
        build.create(&rig.run.home("server").expect("home"), &SIZING).expect("made");
    server.start().expect("starts");
    let mut sql = session(&*server);
    assert_eq!(single(&mut *sql, "SHOW server_version"), release);
    sql.query("CREATE EXTENSION pg_stat_statements; CREATE EXTENSION pg_prewarm")
        .expect("both are installed");
    let facts = server.facts().expect("facts");
    assert!(facts.origin.starts_with("sources, built here: "), "{}", facts.origin);
    assert!(facts.build.iter().any(|remark| remark.starts_with("flags -O2")), "{:?}", facts.build);
    assert!(facts.build.iter().any(|remark| remark.starts_with("compiled by gcc")), "{:?}", facts.build);
    drop(sql);
    server.stop().expect("stops");
}

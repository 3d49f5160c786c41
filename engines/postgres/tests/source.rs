//! A server that was built from sources.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use humdrum_contract::{Dirs, Engine, Server, Silent};
use humdrum_engine_kit::testing::{Rig, SIZING, session, shown, single, subject};
use humdrum_engine_postgres::ENGINE;
use humdrum_model::Place;
use humdrum_provision::dirs;

/// `HUMDRUM_SOURCES` names a folder with sources.
#[test]
#[ignore = "slow: compiles PostgreSQL, some minutes the first time"]
fn a_server_of_sources_lives_and_is_built_once() {
    let path = std::env::var_os("HUMDRUM_SOURCES").expect("HUMDRUM_SOURCES names sources of PostgreSQL");
    let rig = Rig::new(ENGINE);
    let it = subject(ENGINE, Place::Source { path: PathBuf::from(path), revision: None }, &[]);
    let release = ENGINE.check(&it, &rig.dirs).expect("sources");
    let build = ENGINE.install(&it, &rig.dirs, &Silent).unwrap_or_else(|fault| panic!("{}", shown(&fault)));
    let began = Instant::now();
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

/// `HUMDRUM_HISTORY` names a repository with the tags `first` and `last`, such as `cargo xtask bench history` makes.
#[test]
#[ignore = "slow: compiles PostgreSQL twice, some minutes"]
fn a_reused_tree_gives_the_same_server_sooner() {
    let path =
        PathBuf::from(std::env::var_os("HUMDRUM_HISTORY").expect("HUMDRUM_HISTORY names a repository"));
    let rig = Rig::new(ENGINE);
    let cache = tempfile::tempdir().expect("a folder");
    let anew = Dirs { cache: cache.path().to_owned(), ..rig.dirs.clone() };
    fs::create_dir(dirs::builds(&anew)).expect("made");
    let reusing = Dirs { reuse_trees: true, ..anew.clone() };
    let seconds = |revision: &str, dirs: &Dirs| {
        let place = Place::Source { path: path.clone(), revision: Some(revision.into()) };
        let began = Instant::now();
        let build = ENGINE.install(&subject(ENGINE, place, &[]), dirs, &Silent);
        build.unwrap_or_else(|fault| panic!("{}", shown(&fault)));
        began.elapsed().as_secs_f64()
    };
    let programs = || -> BTreeMap<PathBuf, Vec<u8>> {
        let builds = fs::read_dir(dirs::builds(&anew)).expect("builds").flatten();
        let programs = builds.map(|entry| entry.path().join("bin/postgres"));
        programs.filter_map(|path| Some((path.clone(), fs::read(path).ok()?))).collect()
    };
    let first = seconds("first", &reusing);
    let last = seconds("last", &reusing);
    assert!(last < first / 2.0, "{last} s after {first} s");
    let reused = programs();
    assert_eq!(reused.len(), 2);
    fs::remove_dir_all(dirs::builds(&anew)).expect("removed");
    fs::create_dir(dirs::builds(&anew)).expect("made");
    seconds("last", &anew);
    let (path, program) = programs().pop_first().expect("built");
    assert!(reused.get(&path) == Some(&program), "{} differs", path.display());
}

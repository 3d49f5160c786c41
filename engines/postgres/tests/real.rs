//! The engine on real servers. These tests fetch two releases when they are not cached yet, and start several
//! servers; they need the network once.

use std::path::PathBuf;
use std::time::Duration;

use humdrum_contract::{Dirs, Engine, Outcome, Role, Server, Silent, Sizing};
use humdrum_engine_kit::testing::{
    PATIENCE, Rig, runs_with_another_allocator, session, single, subject, until, value,
};
use humdrum_engine_postgres::ENGINE;
use humdrum_model::{Fault, FaultKind, Place, Setting};
use humdrum_provision::{dirs, run_folder, signal};

const SIZING: Sizing = Sizing { memory_bytes: 256 << 20, limit_bytes: None, cpus: 2, connections: 4 };

fn rig() -> Rig {
    Rig { sizing: SIZING, ..Rig::new(ENGINE) }
}

fn create(rig: &Rig, name: &str, version: &str, settings: &[(&str, &str)]) -> Outcome<Box<dyn Server>> {
    let settings: Vec<Setting> = settings.iter().map(|(key, text)| value(key, text)).collect();
    rig.create(name, version, &settings)
}

fn refused(outcome: Outcome<Box<dyn Server>>) -> Fault {
    match outcome {
        Ok(_) => panic!("was not refused"),
        Err(fault) => fault,
    }
}

/// Data is written, survives a clean restart, and nothing of the server is left after it.
fn lives_a_whole_life(version: &str) {
    let rig = rig();
    let mut server = rig.started("server", version);
    assert!(server.is_running());
    let mut sql = session(&*server);
    sql.query("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 1000)")
        .expect("fill");
    assert_eq!(single(&mut *sql, "SHOW data_checksums"), "on");
    let processes = server.processes();
    let sessions: Vec<u32> = processes.iter().filter(|p| p.role == Role::Session).map(|p| p.pid).collect();
    assert_eq!(sql.server_process().map(|pid| vec![pid]), Some(sessions));
    assert!(processes.iter().any(|process| process.role == Role::Background));
    drop(sql);
    server.stop().expect("stop");
    assert!(!server.is_running() && processes.iter().all(|process| !signal::is_alive(process.pid)));
    server.start().expect("start again");
    assert_eq!(single(&mut *session(&*server), "SELECT count(*) FROM t"), "1000");
    let facts = server.facts().expect("facts");
    assert_eq!(facts.version, version);
    assert!(
        facts.settings.iter().any(|(name, value)| name == "jit" && value == "off")
            || version.starts_with("9.")
            || version.starts_with("10.")
    );
    assert!(facts.given.iter().any(|(name, _)| name == "shared_buffers"));
    assert!(facts.origin.contains("sha256 ") && !facts.build.is_empty() && facts.fingerprint.len() == 64);
    let path = rig.run.path().to_path_buf();
    drop((server, rig));
    assert!(!path.exists());
}

#[test]
fn two_releases_live_a_whole_life() {
    ["16.11", "17.7"].iter().for_each(|version| lives_a_whole_life(version));
}

#[test]
fn an_allocator_may_be_loaded_before_it() {
    runs_with_another_allocator(ENGINE, "17.7");
}

/// Fetches what the catalogue has but Debian's (see `debian.rs`): some 1.8 GB, or what `HUMDRUM_TEST_RELEASE` lists.
#[test]
#[ignore = "fetches and starts every release"]
fn every_release_lives_a_whole_life() {
    let only = std::env::var("HUMDRUM_TEST_RELEASE").ok();
    let wanted = |name: &str| only.as_ref().is_none_or(|only| only.split(',').any(|one| one == name));
    for release in ENGINE.releases(&rig().dirs) {
        if wanted(&release.version) && !release.origin.starts_with("Debian") {
            println!("{}", release.version);
            lives_a_whole_life(&release.version);
        }
    }
}

#[test]
fn frozen_servers_do_not_answer_and_thawed_ones_do() {
    let rig = rig();
    let mut server = rig.started("server", "17.7");
    let mut sql = session(&*server);
    let mut impatient =
        server.connect(Duration::from_millis(200)).and_then(|c| c.into_sql()).expect("connect");
    server.freeze().expect("freeze");
    let processes = server.processes();
    // A worker that was about to end has ended, and stands still as well.
    let stands = |state: Option<char>| matches!(state, Some('T' | 'Z') | None);
    assert!(until(|| processes.iter().all(|process| stands(signal::state(process.pid)))));
    assert_eq!(impatient.query("SELECT 1").expect_err("frozen").kind, FaultKind::Timeout);
    server.thaw().expect("thaw");
    assert_eq!(single(&mut *sql, "SELECT 1"), "1");
    server.freeze().expect("freeze");
    server.stop().expect("a frozen server can be stopped");
    assert!(server.freeze().is_err());
}

#[test]
fn a_killed_server_is_a_crash_with_its_log() {
    let rig = rig();
    let mut server = rig.started("server", "17.7");
    let mut sql = session(&*server);
    let processes = server.processes();
    let backend = sql.server_process().expect("backend");
    signal::send(backend, libc::SIGKILL);
    let fault = server.explain(sql.query("SELECT 1").expect_err("killed"));
    assert_eq!(fault.kind, FaultKind::Crash);
    let postmaster =
        processes.iter().rfind(|process| process.role == Role::Background).expect("postmaster").pid;
    signal::send(postmaster, libc::SIGKILL);
    assert!(until(|| processes.iter().all(|process| !signal::is_alive(process.pid))), "nothing outlives it");
    assert!(until(|| !server.is_running()));
    assert!(server.connect(PATIENCE).map(|_| ()).expect_err("gone").log_tail.is_some());
    server.start().expect("recovers");
    assert!(session(&*server).query("SELECT 1").is_ok());
}

#[test]
fn settings_reach_the_server_or_are_refused_by_name() {
    let rig = rig();
    let mut server =
        create(&rig, "good", "17.7", &[("work_mem", "3MB"), ("application_name", "it's")]).expect("create");
    server.start().expect("start");
    assert_eq!(single(&mut *session(&*server), "SHOW work_mem"), "3MB");
    assert!(server.facts().expect("facts").given.contains(&("work_mem".into(), "3MB".into())));
    let unknown = refused(create(&rig, "unknown", "17.7", &[("io_method", "worker")]));
    assert_eq!((unknown.kind, unknown.hint.is_some()), (FaultKind::Usage, true));
    assert!(unknown.what.contains("17.7") && unknown.what.contains("\"io_method\""), "{unknown}");
    let wrong = refused(create(&rig, "wrong", "17.7", &[("work_mem", "lots")]));
    assert!(wrong.kind == FaultKind::Usage && wrong.what.contains("work_mem"), "{wrong}");
    let impossible =
        create(&rig, "impossible", "17.7", &[("wal_level", "minimal"), ("max_wal_senders", "5")]);
    let mut impossible = impossible.expect("each is well-formed");
    let fault = impossible.start().expect_err("contradictory");
    assert!(fault.log_tail.is_some() && fault.what.contains("ended while starting"), "{fault}");
}

/// The same build and settings have the same fingerprint; other settings another.
#[test]
fn fingerprints_tell_an_aa_from_a_comparison() {
    let rig = rig();
    let fingerprint = |name: &str, settings: &[(&str, &str)]| {
        let mut server = create(&rig, name, "17.7", settings).expect("create");
        server.start().expect("start");
        server.facts().expect("facts").fingerprint
    };
    let (a, b, other) = (fingerprint("a", &[]), fingerprint("b", &[]), fingerprint("c", &[("jit", "on")]));
    assert_eq!(a, b);
    assert_ne!(a, other);
}

#[test]
fn a_detached_server_lives_until_it_is_ended() {
    let rig = rig();
    let mut server = rig.started("server", "17.7");
    let backends = server.processes();
    let pid = server.detach().expect("detach");
    drop(server);
    assert!(signal::is_alive(pid));
    signal::send(pid, libc::SIGINT);
    assert!(until(|| backends.iter().all(|process| !signal::is_alive(process.pid))));
}

/// An installed build by its folder, and a running server by its URL.
#[test]
fn folders_and_running_servers_can_be_named() {
    let rig = rig();
    drop(rig.install("17.7", &[]));
    let folder = dirs::builds(&rig.dirs).join("postgres-17-7");
    let by_folder = subject(ENGINE, Place::Folder(folder), &[]);
    assert_eq!(ENGINE.check(&by_folder, &rig.dirs).expect("check"), "17.7");
    let installed = ENGINE.install(&by_folder, &rig.dirs, &Silent).expect("install");
    let mut server = installed.create(&rig.run.home("folder").expect("home"), &SIZING).expect("create");
    server.start().expect("start");

    let home = rig.run.path().join("folder");
    let password = std::fs::read_to_string(home.join("password")).expect("password");
    let sockets: PathBuf = home.join("s");
    let url = format!("postgres://humdrum:{}@/postgres?host={}", password.trim(), sockets.display());
    let dirs = Dirs { allow_external: true, ..rig.dirs.clone() };
    let external =
        ENGINE.install(&subject(ENGINE, Place::External(url), &[]), &dirs, &Silent).expect("external");
    let mut external = external.create(&home, &SIZING).expect("create");
    external.start().expect("start");
    let mut sql = session(&*external);
    sql.query("CREATE TABLE t (id int)").expect("create");
    assert_eq!(single(&mut *sql, "SELECT schemaname::text FROM pg_tables WHERE tablename = 't'"), "humdrum");
    // This session, and the one that holds the schema.
    assert_eq!(external.processes().len(), 2);
    assert_eq!(external.facts().expect("facts").version, "17.7");
    external.stop().expect("nothing to do");
    assert!(server.is_running() && external.freeze().is_err() && external.detach().is_err());
}

/// Not a test by itself: what the next one runs in a process of its own, to be killed.
#[test]
#[ignore = "is run by killing_us_kills_our_servers"]
fn helper_that_waits_to_be_killed() {
    let Some(folder) = std::env::var_os("HUMDRUM_TEST_FOLDER").map(PathBuf::from) else { return };
    let rig = rig();
    let (server, mut frozen) =
        (rig.started("server", "17.7"), create(&rig, "frozen", "16.11", &[]).expect("create"));
    frozen.start().expect("start");
    frozen.freeze().expect("freeze");
    let pids =
        server.processes().into_iter().chain(frozen.processes()).map(|process| process.pid.to_string());
    std::fs::write(folder.join("part"), pids.collect::<Vec<_>>().join(" ")).expect("write");
    std::fs::rename(folder.join("part"), folder.join("pids")).expect("rename");
    std::thread::sleep(Duration::from_secs(600));
}

#[test]
fn killing_us_kills_our_servers() {
    let folder = tempfile::tempdir().expect("folder");
    let mut helper = std::process::Command::new(std::env::current_exe().expect("self"))
        .args(["--ignored", "--exact", "helper_that_waits_to_be_killed"])
        .env("HUMDRUM_TEST_FOLDER", folder.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("helper");
    assert!((0..60).any(|_| until(|| folder.path().join("pids").exists())), "servers are up");
    let text = std::fs::read_to_string(folder.path().join("pids")).expect("pids");
    let pids: Vec<u32> = text.split(' ').map(|pid| pid.parse().expect("pid")).collect();
    // A worker that looks after a table may be gone again.
    assert!(pids.iter().filter(|pid| signal::is_alive(**pid)).count() > 8, "{pids:?}");
    helper.kill().expect("kill");
    helper.wait().expect("wait");
    assert!(until(|| pids.iter().all(|pid| !signal::is_alive(*pid))), "nothing outlives us");
    let rig = rig();
    let stale = run_folder::stale_runs(&rig.dirs);
    let of_helper = stale.iter().find(|path| path.join("frozen").exists()).expect("its folder is stale");
    run_folder::remove_run(of_helper).expect("remove");
}

#[test]
fn conforms() {
    let rig = rig();
    for version in ["16.11", "17.7"] {
        humdrum_contract::conformance::copies(&mut *create(&rig, version, version, &[]).expect("create"));
    }
}

/// Otherwise index-only scans would read the table all the same, and now and then only.
#[test]
fn a_settled_table_is_visible_to_all() {
    let rig = rig();
    let server = rig.started("server", "17.7");
    let mut session = session(&*server);
    for _ in 0..5 {
        let dialect = server.dialect().expect("SQL");
        session.query("DROP TABLE IF EXISTS t").expect("drop");
        session.query(&format!("CREATE TABLE t (id INTEGER) {}", dialect.table_options())).expect("create");
        session.query("INSERT INTO t SELECT generate_series(1, 20000)").expect("insert");
        dialect.settle(&["t".into()]).iter().for_each(|sql| drop(session.query(sql).expect("settle")));
        let pages =
            session.query("SELECT relpages, relallvisible FROM pg_class WHERE relname = 't'").expect("pages");
        assert_eq!(pages[0][0], pages[0][1], "pages and pages visible to all");
    }
}

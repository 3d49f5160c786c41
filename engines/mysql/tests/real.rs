//! The engine on real servers. These tests fetch the smallest release there is when it is not cached yet, and start
//! several servers; they need the network once.

use std::time::Duration;

use humdrum_contract::{Dirs, Engine, Silent};
use humdrum_engine_kit::testing::{
    Rig, SIZING, main_process, runs_with_another_allocator, session, single, subject, until, value,
};
use humdrum_engine_mysql::ENGINE;
use humdrum_engine_mysql_family::testing::{configurations_start, is_reached_over_tcp, lives_a_whole_life};
use humdrum_model::{FaultKind, Place};
use humdrum_provision::{dirs, signal};

/// 18 MB to fetch.
const SMALL: &str = "5.7.22";

#[test]
fn a_release_lives_a_whole_life() {
    lives_a_whole_life(ENGINE, SMALL);
}

#[test]
fn an_allocator_may_be_loaded_before_it() {
    runs_with_another_allocator(ENGINE, SMALL);
}

#[test]
fn a_client_may_talk_over_tcp() {
    is_reached_over_tcp(ENGINE, SMALL);
}

/// Fetches all of the catalogue: some 1.3 GB.
#[test]
#[ignore = "fetches and starts every release"]
fn every_release_lives_a_whole_life() {
    let rig = Rig::new(ENGINE);
    let only = std::env::var("HUMDRUM_TEST_RELEASE").ok();
    for release in ENGINE.releases(&rig.dirs) {
        if only.as_ref().is_none_or(|only| *only == release.version) {
            println!("{}", release.version);
            lives_a_whole_life(ENGINE, &release.version);
        }
    }
}

/// Of the newest release of each series, with every configuration that is for it, and over TCP.
#[test]
#[ignore = "fetches and starts every release"]
fn every_configuration_starts() {
    let newest = ["5.5.34", "5.6.14", "5.7.22", "8.0.33", "9.7.4"];
    newest.iter().for_each(|release| {
        configurations_start(ENGINE, release);
        is_reached_over_tcp(ENGINE, release);
    });
}

#[test]
fn conforms() {
    let rig = Rig::new(ENGINE);
    humdrum_contract::conformance::copies(&mut *rig.create("server", SMALL, &[]).expect("create"));
}

#[test]
fn frozen_servers_do_not_answer_and_thawed_ones_do() {
    let rig = Rig::new(ENGINE);
    let mut server = rig.started("server", SMALL);
    let mut sql = session(&*server);
    let mut impatient = server
        .connect(Duration::from_millis(300))
        .and_then(|connection| connection.into_sql())
        .expect("connect");
    server.freeze().expect("freeze");
    let threads = server.processes();
    assert!(until(|| threads.iter().all(|thread| signal::state(thread.pid) == Some('T'))));
    assert_eq!(impatient.query("SELECT 1").expect_err("frozen").kind, FaultKind::Timeout);
    server.thaw().expect("thaw");
    assert_eq!(single(&mut *sql, "SELECT 1"), "1");
    server.freeze().expect("freeze");
    server.stop().expect("a frozen server can be stopped");
    assert!(server.freeze().is_err());
}

#[test]
fn a_killed_server_is_a_crash_with_its_log() {
    let rig = Rig::new(ENGINE);
    let mut server = rig.started("server", SMALL);
    let mut sql = session(&*server);
    sql.query("CREATE TABLE t (id INT PRIMARY KEY) ENGINE=InnoDB").expect("create");
    sql.query("INSERT INTO t VALUES (1), (2)").expect("insert");
    let main = main_process(&*server);
    signal::send(main, libc::SIGKILL);
    let fault = server.explain(sql.query("SELECT 1").expect_err("killed"));
    assert_eq!((fault.kind, fault.log_tail.is_some()), (FaultKind::Crash, true));
    assert!(until(|| !server.is_running() && !signal::is_alive(main)));
    server.start().expect("recovers");
    // Redo is written at every commit and synced every second; the kernel has outlived the server.
    assert_eq!(single(&mut *session(&*server), "SELECT COUNT(*) FROM t"), "2");
}

#[test]
fn settings_reach_the_server_or_are_refused_by_name() {
    let rig = Rig::new(ENGINE);
    let good =
        [value("sort-buffer-size", "1M"), value("init_connect", "SET @a='#'"), value("log_bin", "OFF")];
    let mut server = rig.create("good", SMALL, &good).expect("create");
    server.start().expect("start");
    let mut sql = session(&*server);
    assert_eq!(single(&mut *sql, "SELECT @@sort_buffer_size"), "1048576");
    assert_eq!(single(&mut *sql, "SELECT @@log_bin"), "0");
    assert_eq!(single(&mut *sql, "SELECT @@GLOBAL.init_connect"), "SET @a='#'");
    assert!(server.facts().expect("facts").given.contains(&("sort_buffer_size".into(), "1M".into())));
    for (name, setting) in [
        ("unknown", value("io_method", "worker")),
        ("wrong", value("binlog_format", "lots")),
        ("suffix", value("sort_buffer_size", "lots")),
        ("adjusted", value("innodb_io_capacity", "1")),
    ] {
        let outcome =
            rig.create(name, SMALL, std::slice::from_ref(&setting)).and_then(|mut server| server.start());
        let fault = outcome.expect_err(name);
        let humdrum_model::Setting::Value { key, .. } = &setting else { unreachable!() };
        assert_eq!((fault.kind, fault.hint.is_some()), (FaultKind::Usage, true), "{fault}");
        let names = fault.what.replace('-', "_");
        assert!(names.contains("mysql 5.7.22") && names.contains(key.as_str()), "{fault}");
    }
}

/// The same build and settings have the same fingerprint; other settings another.
#[test]
fn fingerprints_tell_an_aa_from_a_comparison() {
    let rig = Rig::new(ENGINE);
    let fingerprint = |name: &str, settings: &[humdrum_model::Setting]| {
        let mut server = rig.create(name, SMALL, settings).expect("create");
        server.start().expect("start");
        server.facts().expect("facts").fingerprint
    };
    let other = [value("sync_binlog", "1")];
    let (a, b, c) = (fingerprint("a", &[]), fingerprint("b", &[]), fingerprint("c", &other));
    assert_eq!(a, b);
    assert_ne!(a, c);
}

/// Only the socket is there to connect to, and only with the password.
#[test]
fn nobody_else_gets_in() {
    let rig = Rig::new(ENGINE);
    let server = rig.started("server", SMALL);
    let pid = main_process(&*server);
    let inodes: Vec<String> = sockets_of(pid);
    let list = |name: &str| std::fs::read_to_string(format!("/proc/{pid}/net/{name}"));
    // What listens on all addresses is in the list of IPv6 alone; a host without IPv6 has no such list.
    for sockets in [list("tcp").expect("tcp"), list("tcp6").unwrap_or_default()] {
        assert!(
            sockets.lines().skip(1).all(|line| !inodes.iter().any(|inode| line.contains(inode.as_str())))
        );
    }
    let mut sql = session(&*server);
    let accounts =
        sql.query("SELECT user, host FROM mysql.user WHERE authentication_string = ''").expect("accounts");
    assert!(accounts.is_empty(), "{accounts:?}");
    assert!(!rig.run.path().join("server/first.sql").exists());
}

/// Inodes of a process's sockets, as written in `/proc/net`.
fn sockets_of(pid: u32) -> Vec<String> {
    let links = std::fs::read_dir(format!("/proc/{pid}/fd")).expect("fd").flatten();
    let targets = links.filter_map(|link| std::fs::read_link(link.path()).ok());
    let names = targets.map(|target| target.display().to_string());
    names
        .filter_map(|name| Some(format!(" {} ", name.strip_prefix("socket:[")?.strip_suffix(']')?)))
        .collect()
}

#[test]
fn a_detached_server_lives_until_it_is_ended() {
    let rig = Rig::new(ENGINE);
    let mut server = rig.started("server", SMALL);
    let pid = server.detach().expect("detach");
    drop(server);
    assert!(signal::is_alive(pid));
    signal::send(pid, libc::SIGTERM);
    assert!(until(|| !signal::is_alive(pid)));
}

/// An installed build by its folder, and a running server by its URL.
#[test]
fn folders_and_running_servers_can_be_named() {
    let rig = Rig::new(ENGINE);
    drop(rig.install(SMALL, &[]));
    let folder = dirs::builds(&rig.dirs).join("mysql-5-7-22");
    let by_folder = subject(ENGINE, Place::Folder(folder), &[]);
    assert_eq!(ENGINE.check(&by_folder, &rig.dirs).expect("check"), SMALL);
    let installed = ENGINE.install(&by_folder, &rig.dirs, &Silent).expect("install");
    let mut server = installed.create(&rig.run.home("folder").expect("home"), &SIZING).expect("create");
    server.start().expect("start");

    let home = rig.run.path().join("folder");
    let password = std::fs::read_to_string(home.join("password")).expect("password");
    let socket = home.join("s/mysql.sock");
    let url = format!("mysql://humdrum:{}@localhost?socket={}", password.trim(), socket.display());
    let dirs = Dirs { allow_external: true, ..rig.dirs.clone() };
    let subject = subject(ENGINE, Place::External(url), &[]);
    let external = ENGINE.install(&subject, &dirs, &Silent).expect("external");
    let mut external = external.create(&home, &SIZING).expect("create");
    external.start().expect("start");
    let mut sql = session(&*external);
    assert_eq!(single(&mut *sql, "SELECT DATABASE()"), "humdrum");
    assert!(sql.server_process().is_some() && external.processes().is_empty());
    assert_eq!(external.facts().expect("facts").version, SMALL);
    external.stop().expect("nothing to do");
    assert!(server.is_running() && external.freeze().is_err() && external.detach().is_err());
}

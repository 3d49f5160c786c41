//! The engine on real servers. These tests fetch the smallest release there is when it is not cached yet; they need
//! the network once.

use humdrum_contract::Engine;
use humdrum_engine_kit::testing::{Rig, runs_with_another_allocator, session, single, value};
use humdrum_engine_mariadb::ENGINE;
use humdrum_engine_mysql_family::testing::{configurations_start, is_reached_over_tcp, lives_a_whole_life};
use humdrum_model::FaultKind;

/// 46 MB to fetch.
const SMALL: &str = "10.1.23";

#[test]
fn a_release_lives_a_whole_life() {
    lives_a_whole_life(ENGINE, SMALL);
}

/// This release is linked with a jemalloc of its own, which ends the server where another is loaded before it.
#[test]
fn an_allocator_that_a_build_does_not_bear_is_suspected() {
    let rig = Rig::new(ENGINE);
    let mut server = rig.create("server", SMALL, &[value("malloc", "jemalloc")]).expect("create");
    let fault = server.start().expect_err("ends while it starts");
    assert_eq!(fault.kind, FaultKind::Crash);
    assert!(fault.hint.as_deref().is_some_and(|hint| hint.contains("+malloc=jemalloc")), "{fault}");
}

/// 60 MB to fetch.
#[test]
#[ignore = "fetches a larger release"]
fn an_allocator_may_be_loaded_before_it() {
    runs_with_another_allocator(ENGINE, "10.11.19");
}

#[test]
fn a_client_may_talk_over_tcp() {
    is_reached_over_tcp(ENGINE, SMALL);
}

/// Fetches all of the catalogue: some 450 MB.
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
    let newest = ["10.1.23", "10.2.11", "10.5.23", "10.11.19", "11.4.5", "11.8.9"];
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
fn settings_reach_the_server_or_are_refused_by_name() {
    let rig = Rig::new(ENGINE);
    let mut server = rig.create("good", SMALL, &[value("sort_buffer_size", "1M")]).expect("create");
    server.start().expect("start");
    assert_eq!(single(&mut *session(&*server), "SELECT @@sort_buffer_size"), "1048576");
    let outcome =
        rig.create("unknown", SMALL, &[value("io_method", "worker")]).and_then(|mut server| server.start());
    let fault = outcome.expect_err("unknown");
    assert_eq!(fault.kind, FaultKind::Usage, "{fault}");
    assert!(fault.what.contains("mariadb 10.1.23") && fault.what.contains("io_method"), "{fault}");
}

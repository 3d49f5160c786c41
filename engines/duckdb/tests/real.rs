//! The engine on real libraries, which npm fetches when they are not cached yet. The workers are this very test program,
//! started again.

use humdrum_contract::{
    Dirs, Engine, Interrupt, OrderDone, OrderMade, Outcome, Server, Silent, Sizing, conformance,
};
use humdrum_engine_duckdb::{Duckdb, Launch, play_worker_by_environment};
use humdrum_model::{Place, Setting, Subject};
use humdrum_provision::dirs::{self, Surroundings};
use humdrum_provision::run_folder::RunFolder;

const SIZING: Sizing = Sizing { memory_bytes: 256 << 20, limit_bytes: None, cpus: 2, connections: 4 };

/// Not a test: what the workers of the others run.
#[test]
fn plays_the_worker() {
    play_worker_by_environment();
}

fn engine() -> Duckdb {
    // Two threads, or the test's name would be printed in front of what the worker says.
    let args = ["plays_the_worker", "--exact", "--nocapture", "--test-threads=2"].map(Into::into).to_vec();
    Duckdb { launch: Launch { program: "/proc/self/exe".into(), args } }
}

fn folders() -> Dirs {
    dirs::find(&Surroundings::read(), false, &Interrupt::new()).expect("folders")
}

fn subject(place: Place, settings: &[(&str, &str)]) -> Subject {
    let value = |(key, value): &(&str, &str)| Setting::Value { key: (*key).into(), value: (*value).into() };
    let settings = settings.iter().map(value).collect();
    Subject { label: "it".into(), engine: "duckdb".into(), place, settings }
}

fn created(subject: &Subject, dirs: &Dirs, run: &RunFolder) -> Outcome<Box<dyn Server>> {
    engine().install(subject, dirs, &Silent)?.create(&run.home("server")?, &SIZING)
}

/// A whole life of a release's server, and what it answered.
fn life(place: Place, settings: &[(&str, &str)]) -> (OrderMade, Vec<OrderDone>) {
    let dirs = folders();
    let run = RunFolder::new(&dirs).expect("run folder");
    let mut server = created(&subject(place, settings), &dirs, &run).expect("a server");
    conformance::orderby(&mut *server)
}

#[test]
#[ignore = "npm fetches a release, 24 MB"]
fn the_newest_release_can_be_measured() {
    let own = life(Place::Version("1".into()), &[]);
    assert_eq!(life(Place::Version("1".into()), &[("threads", "2"), ("memory_limit", "2GB")]), own);
}

#[test]
#[ignore = "npm fetches all releases of the catalogue, 420 MB"]
fn all_releases_answer_the_same() {
    let mut first = None;
    for release in engine().releases(&folders()) {
        println!("{}", release.version);
        let place = Place::Version(release.version.clone());
        let this = life(place.clone(), &[]);
        assert_eq!(first.get_or_insert_with(|| this.clone()), &this, "{}", release.version);
        let installed = engine().install(&subject(place, &[]), &folders(), &Silent).expect("installed");
        let library = subject(Place::Folder(installed.place().expect("a file")), &[]);
        assert_eq!(engine().check(&library, &folders()), Ok(release.version), "as the library says");
    }
}

#[test]
#[ignore = "npm fetches a release, 24 MB"]
fn settings_are_the_librarys_own_and_a_users_library_says_its_release() {
    let dirs = folders();
    let run = RunFolder::new(&dirs).expect("run folder");
    let release = Place::Version("1.5.6".into());
    let mut server = created(&subject(release.clone(), &[("threads", "2")]), &dirs, &run).expect("a server");
    server.start().expect("starts");
    let facts = server.facts().expect("facts");
    let in_force = |name: &str| facts.settings.iter().find(|(key, _)| key == name).map(|(_, value)| &**value);
    assert_eq!((facts.version.as_str(), in_force("threads")), ("1.5.6", Some("2")));
    assert!(!facts.settings.iter().any(|(_, value)| value.contains("spilled")), "{:?}", facts.settings);
    server.stop().expect("stops");
    for (key, value) in [("no_such_setting", "1"), ("threads", "many")] {
        let run = RunFolder::new(&dirs).expect("run folder");
        let mut server = created(&subject(release.clone(), &[(key, value)]), &dirs, &run).expect("a server");
        let fault = server.start().expect_err("refused");
        assert!(fault.exit_code() == 2 && fault.hint.is_some(), "{fault}");
    }
    let installed = engine().install(&subject(release, &[]), &dirs, &Silent).expect("installed");
    let library = installed.place().expect("a file");
    let folder = library.parent().expect("a folder").to_path_buf();
    for own in [library, folder] {
        assert_eq!(engine().check(&subject(Place::Folder(own), &[]), &dirs).as_deref(), Ok("1.5.6"));
    }
    let other = subject(Place::Folder("/proc/self/exe".into()), &[]);
    assert_eq!(engine().check(&other, &dirs).expect_err("no library").exit_code(), 2);
}

//! Debian's builds on any host: they start with their own libraries, also of another suite than the host's,
//! and have the features that the other builds lack.

use std::time::Duration;

use humdrum_contract::{Connection, Engine, Interrupt, Role, Silent, Sizing, conformance};
use humdrum_engine_postgres::ENGINE;
use humdrum_model::{Place, Setting, Subject};
use humdrum_provision::dirs::{self, Surroundings};
use humdrum_provision::run_folder::RunFolder;

const SIZING: Sizing = Sizing { memory_bytes: 256 << 20, limit_bytes: None, cpus: 2, connections: 4 };

#[test]
#[ignore = "fetches two Debian builds, some 60 MB"]
fn builds_of_debian_start_beside_the_system() {
    let dirs = dirs::find(&Surroundings::read(), false, &Interrupt::new()).expect("folders");
    for (version, said) in [("18.6-debian", "18.6"), ("19rc1", "19rc1")] {
        let run = RunFolder::new(&dirs).expect("run folder");
        let settings = ["x10d", "wallz4"].map(|name| Setting::Named(name.into())).to_vec();
        let place = Place::Version(version.into());
        let subject = Subject { label: "it".into(), engine: "postgres".into(), place, settings };
        let installed = ENGINE.install(&subject, &dirs, &Silent).expect("install");
        let mut server = installed.create(&run.home("a").expect("home"), &SIZING).expect("create");
        server.start().expect("start");
        let connection = server.connect(Duration::from_secs(60)).and_then(Connection::into_sql);
        let mut sql = connection.expect("connect");
        for (setting, value) in [("io_method", "io_uring"), ("wal_compression", "lz4")] {
            let rows = sql.query(&format!("SHOW {setting}")).expect(setting);
            assert_eq!(rows[0][0].as_deref(), Some(value));
        }
        let backend = sql.server_process().expect("backend");
        let program = std::fs::read_link(format!("/proc/{backend}/exe")).expect("program");
        assert_eq!(program.file_name(), Some("postgres".as_ref()), "not the loader");
        assert!(server.processes().iter().any(|process| process.role == Role::Session));
        assert_eq!(server.facts().expect("facts").version, said);
        conformance::sql(&mut *installed.create(&run.home("b").expect("home"), &SIZING).expect("create"));
    }
}

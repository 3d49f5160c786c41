//! The same scripts in every protocol, with pipelines and without: equal answers, and equal tables behind them.

use std::fs;

use humdrum_contract::{
    Answer, Client, Connection, Dirs, Interrupt, Operation, Seat, Server, Silent, Workload,
};
use humdrum_engine_kit::testing::{PATIENCE, Rig, SIZING};
use humdrum_model::Contents;
use humdrum_provision::dirs::{self, Surroundings};
use humdrum_provision::run_folder::RunFolder;
use humdrum_workload_script::{Folder, Own};

use crate::common::{Humdrum, text_of};

const OPERATIONS: u64 = 200;

const SCHEMA: &str = "CREATE TABLE t (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(40), n INTEGER NOT NULL);\n\
    CREATE TABLE log (id INTEGER NOT NULL, n INTEGER NOT NULL);\n";
const LOAD: &str = "INSERT INTO t VALUES (1, 'a', 1), (2, NULL, 2), (3, 'c', 3), (4, 'd', 4), (5, 'e', 5);\n";

/// Marks stand for the commands of pipelines.
const SCRIPT: &str = "\\set id random(1, 6)\n\\set more random(1, 100)\n<\nSELECT name, n FROM t WHERE id = :id;\n\
    UPDATE t SET n = n + :more WHERE id = :id;\n\\if :more > 50\nBEGIN;\nINSERT INTO log VALUES (:id, :more);\n\
    SELECT COUNT(*) FROM log;\nCOMMIT;\n\\else\n|\nDELETE FROM log WHERE id = :id;\n\\endif\n\
    SELECT n FROM t ORDER BY id;\n>\nSELECT SUM(n) AS sum FROM t \\gset\n\\set mean :sum / 5\nSELECT id FROM t WHERE n >= :mean ORDER BY id;\n";

/// The folder of a workload with this script.
fn folder(humdrum: &Humdrum, protocol: &str, script: &str) -> Folder {
    let path = humdrum.path("w");
    fs::create_dir_all(&path).expect("made");
    let workload =
        format!("name = \"w\"\nprotocol = \"{protocol}\"\n[[test]]\nname = \"a\"\nfile = \"a.sql\"\n");
    for (file, text) in
        [("workload.toml", &*workload), ("schema.sql", SCHEMA), ("load.sql", LOAD), ("a.sql", script)]
    {
        fs::write(path.join(file), text).expect("written");
    }
    Folder::read(&path).expect("a folder")
}

/// Answers of some operations on fresh data, and what they leave behind.
fn answers(server: &mut dyn Server, own: &Own) -> (Vec<Answer>, Option<Contents>) {
    let scale = own.scales().remove(0);
    own.load(server, &scale, 1, &Silent, &Interrupt::new()).expect("loaded");
    let seat = Seat { test: "a", scale: &scale, number: 0, compat: false };
    let connection = || server.connect(PATIENCE).expect("a connection");
    let mut client: Box<dyn Client> = own.client(&seat, connection(), server.dialect()).expect("a client");
    let all = (0..OPERATIONS).map(|number| {
        let operation = Operation { seed: number * 7, number };
        // Every second one is counted only, as in measurements.
        if number % 2 == 0 {
            client.operate_checked(operation).expect("answered")
        } else {
            Answer { rows: client.operate(operation).expect("answered"), checksum: 0 }
        }
    });
    let all = all.collect();
    let mut control: Connection = connection();
    (all, own.contents(&mut control, server.dialect(), &scale).expect("summed"))
}

fn with(marks: [&str; 3]) -> String {
    ["<", "|", ">"].iter().zip(marks).fold(SCRIPT.to_owned(), |text, (mark, line)| {
        text.replace(&format!("\n{mark}\n"), &format!("\n{line}\n"))
    })
}

#[test]
#[ignore = "slow: starts servers of three engines"]
fn answers_do_not_depend_on_protocols_and_pipelines() {
    let humdrum = Humdrum::with_shared_builds();
    let dirs: Dirs = dirs::find(&Surroundings::read(), false, &Interrupt::new()).expect("folders");
    let (plain, piped) = (with(["", "", ""]), with(["\\startpipeline", "\\syncpipeline", "\\endpipeline"]));
    let mut whole = None;
    for (name, version) in [("postgres", "17.7"), ("mysql", "8.0.33"), ("mariadb", "10.11.19")] {
        let engine = humdrum_engines::table().into_iter().find(|one| one.name() == name).expect("an engine");
        let run = RunFolder::new(&dirs).expect("run folder");
        let rig = Rig { engine, dirs: dirs.clone(), run, sizing: SIZING };
        let home = rig.run.home("s").expect("home");
        let mut server = rig.install(version, &[]).create(&home, &rig.sizing).expect("made");
        server.start().unwrap_or_else(|fault| panic!("{fault} {:?}", fault.log_tail));
        for (protocol, script) in [
            ("prepared", &plain),
            ("extended", &plain),
            ("simple", &plain),
            ("prepared", &piped),
            ("extended", &piped),
        ] {
            if !rig.engine.pipelines() && script == &piped {
                continue;
            }
            let found = answers(&mut *server, &Own::new(folder(&humdrum, protocol, script)));
            let wanted = whole.get_or_insert_with(|| found.clone());
            assert!(found.0.iter().any(|answer| answer.rows > 0));
            assert_eq!(&found, wanted, "{name} {protocol} {script}");
        }
        server.stop().expect("stopped");
    }
}

/// What a server refuses in a pipeline is told with the place of its statement.
#[test]
#[ignore = "slow: starts a server"]
fn what_a_server_refuses_in_a_pipeline_is_told_with_its_place() {
    for protocol in ["extended", "prepared"] {
        let humdrum = Humdrum::with_shared_builds();
        let script = "\\startpipeline\nSELECT 1;\nSELECT 1 / (n - n) FROM t;\nSELECT 2;\n\\endpipeline\n";
        folder(&humdrum, protocol, script);
        let said = text_of(&humdrum.exits(2, &["suite", "check", "./w", "postgres@17.7"]).stderr);
        assert!(said.contains("./w/a.sql:3:1: ") && said.contains("division by zero"), "{said}");
    }
}

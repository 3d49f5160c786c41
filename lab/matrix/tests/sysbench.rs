//! Every test of the sysbench suite on real servers at a tiny scale: the same operations give the same answers and
//! leave the same tables on all of them, whichever engine and release.
//!
//! It is slow, and `.ci/run` runs it. By default two releases of Postgres, one of MySQL and one of MariaDB, which are fetched once. `HUMDRUM_SUITE` names others, as subjects with commas
//! between them, or `all`: every pinned release of every catalogue.

use std::num::NonZero;
use std::time::Duration;

use humdrum_contract::{
    Answer, Client, Connection, Dirs, Engine, HostClock, Interrupt, Operation, Outcome, Seat, Server, Silent,
    Sizing, Workload,
};
use humdrum_model::{Contents, Fault, Interface, Scale, TestInfo};
use humdrum_plan::parse_subject;
use humdrum_provision::dirs::{self, Surroundings};
use humdrum_provision::run_folder::RunFolder;
use humdrum_workload_sysbench::Sysbench;

const DEFAULT: &str = "postgres@16.11,postgres@17.7,mysql@5.7.22,mariadb@10.1.23";
const PATIENCE: Duration = Duration::from_secs(120);
const SIZING: Sizing = Sizing { memory_bytes: 256 << 20, limit_bytes: None, cpus: 2, connections: 8 };
/// Each test's operations come in so many portions, as slices would.
const PORTIONS: u64 = 3;
const SEED_STEP: u64 = 0xd134_2543_de82_ef95;

fn scale() -> Scale {
    Scale { name: "custom".into(), rows: 600, tables: 2, clients: 1, ..Scale::default() }
}

/// What one test gave and left behind.
#[derive(Debug, PartialEq)]
struct Entry {
    test: String,
    answer: Answer,
    contents: Option<Contents>,
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn every_test_gives_the_same_on_every_release() {
    let dirs = dirs::find(&Surroundings::read(), false, &Interrupt::new()).expect("folders");
    let wanted = std::env::var("HUMDRUM_SUITE").unwrap_or_else(|_| DEFAULT.to_owned());
    let subjects = subjects(&wanted, &dirs);
    assert!(subjects.len() > 1, "one subject has nobody to differ from");
    let mut first: Option<(String, Vec<Entry>)> = None;
    let mut complaints = Vec::new();
    for (subject, transcript) in transcripts(&subjects, &dirs) {
        match (transcript, &first) {
            (Err(fault), _) => {
                complaints.push(format!("{subject}: {fault}: {}", fault.log_tail.clone().unwrap_or_default()))
            }
            (Ok(found), None) => first = Some((subject, found)),
            (Ok(found), Some((base, expected))) => {
                let differ = expected.iter().zip(&found).filter(|(expected, found)| expected != found);
                complaints.extend(differ.map(|(expected, found)| {
                    format!("{subject} gives {found:?} where {base} gives {expected:?}")
                }));
                println!("{subject}: {} tests as on {base}", found.len());
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

fn subjects(wanted: &str, dirs: &Dirs) -> Vec<String> {
    if wanted != "all" {
        return wanted.split(',').map(|subject| subject.trim().to_owned()).collect();
    }
    let engines = humdrum_engines::table();
    let speak_sql = engines.iter().filter(|one| one.interface() == Interface::Sql && one.name() != "fake");
    let releases = speak_sql.flat_map(|engine| {
        let pinned = engine.releases(dirs).into_iter().filter(|release| release.pinned);
        pinned.map(|release| format!("{}@{}", engine.name(), release.version))
    });
    releases.collect()
}

/// One server for each processor lives at a time.
fn transcripts(subjects: &[String], dirs: &Dirs) -> Vec<(String, Result<Vec<Entry>, Fault>)> {
    let at_once = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut all = Vec::new();
    for some in subjects.chunks(at_once) {
        std::thread::scope(|scope| {
            let lives: Vec<_> =
                some.iter().map(|subject| scope.spawn(move || transcript(subject, dirs))).collect();
            let ended = lives.into_iter().map(|life| life.join().expect("a transcript does not panic"));
            all.extend(some.iter().cloned().zip(ended));
        });
    }
    all
}

/// Lives one server's life through the whole suite.
fn transcript(subject: &str, dirs: &Dirs) -> Result<Vec<Entry>, Fault> {
    let parsed = parse_subject(subject)?;
    let engines: Vec<Box<dyn Engine>> = humdrum_engines::table();
    let engine = engines.iter().find(|engine| engine.name() == parsed.engine);
    let engine = engine.ok_or_else(|| Fault::usage(format!("no engine {}", parsed.engine)))?;
    let run = RunFolder::new(dirs)?;
    let build = engine.install(&parsed, dirs, &Silent)?;
    let mut server = build.create(&run.home("server")?, &SIZING)?;
    server.start()?;
    let loaded = Sysbench.load(&mut *server, &scale(), 1, &Silent, &dirs.interrupt)?;
    assert_eq!(loaded.rows, 1200);
    let mut tests = Sysbench.tests(false);
    assert_eq!(tests.len(), 47);
    tests.sort_by_key(|test| test.phase);
    let entries =
        tests.iter().map(|test| entry(&*server, test).map_err(|fault| server.explain(fault.at(&*test.name))));
    let entries = entries.collect::<Outcome<Vec<_>>>()?;
    server.stop()?;
    Ok(entries)
}

fn entry(server: &dyn Server, test: &TestInfo) -> Outcome<Entry> {
    let scale = scale();
    let mut steward = server.connect(PATIENCE)?;
    let mut client = client(server, test, &scale)?;
    // As many deletes as make rows come back in between.
    let portion = if test.long {
        1
    } else if test.name == "delete" {
        250
    } else {
        12
    };
    let mut sum = Answer::default();
    for number in 0..PORTIONS * portion {
        if test.writes && number.is_multiple_of(portion) {
            client.make_ready(number..number + portion)?;
        }
        let answer = client.operate_checked(operation(test, number))?;
        sum.rows += answer.rows;
        sum.checksum = sum.checksum.wrapping_add(answer.checksum);
    }
    // The measured path counts the same rows as the checked one.
    if !test.writes {
        let rows = (0..PORTIONS * portion)
            .map(|number| client.operate(operation(test, number)))
            .sum::<Outcome<u64>>()?;
        assert_eq!(rows, sum.rows, "{}", test.name);
    }
    effective(test, sum.rows, PORTIONS * portion);
    drop(client);
    let contents = if test.writes { settling(server, &mut steward, &scale)? } else { None };
    Ok(Entry { test: test.name.clone(), answer: sum, contents })
}

/// Each test has seeds of its own: an UPDATE to the value that a row has already changes nothing in some engines.
fn operation(test: &TestInfo, number: u64) -> Operation {
    let name = test.name.bytes().fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    Operation { seed: name.wrapping_add(number.wrapping_mul(SEED_STEP)), number }
}

fn client(server: &dyn Server, test: &TestInfo, scale: &Scale) -> Outcome<Box<dyn Client>> {
    let seat = Seat { test: &test.name, scale, number: 0, compat: false };
    Sysbench.client(&seat, server.connect(PATIENCE)?, server.dialect())
}

/// Each operation of a test that writes changes what it is meant to change.
fn effective(test: &TestInfo, rows: u64, operations: u64) {
    let each = match test.name.as_str() {
        "update-index" | "update-nonindex" | "update-one" | "update-zipf" | "delete" | "insert" => 1,
        "write-only" => 4,
        // Ids are drawn with replacement.
        "update-inlist" => return assert!(rows > operations * 9 && rows <= operations * 10, "{rows}"),
        _ => return,
    };
    assert_eq!(rows, operations * each, "{}", test.name);
}

fn settling(server: &dyn Server, steward: &mut Connection, scale: &Scale) -> Outcome<Option<Contents>> {
    let clock = HostClock::new();
    let state = Sysbench.state(steward, server.dialect(), scale)?;
    assert!(state.iter().any(|one| one.name.ends_with("bytes") && one.value > 0.0), "{state:?}");
    assert!(state.iter().all(|one| one.value >= 0.0 && one.value.is_finite()), "{state:?}");
    Sysbench.post_write(steward, server.dialect(), scale, &clock, &Interrupt::new())?;
    Sysbench.contents(steward, server.dialect(), scale)
}

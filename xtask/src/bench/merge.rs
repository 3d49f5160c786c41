//! How long `humdrum merge` takes and how much memory it needs, with synthetic shards that are made first: without verdicts, and with
//! them. Where each host has one shard, verdicts come from what shards keep; of other hosts all blocks are read.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use humdrum_analyse::{JudgedRun, Options, RULES};
use humdrum_model::{
    Better, Design, Fault, HostFacts, Judging, Metric, MetricKind, Mode, Place, Plan, Results, Scale,
    SessionInfo, Shard, Stage, Subject, SubjectFacts, TestInfo,
};
use humdrum_record::{Store, as_host};
use rusqlite::Connection;

use super::cargo;
use super::peers::wait_for;

/// The first argument of the process that judges the shard.
const KEEP: &str = "keep";
/// Tests of the plan.
const TESTS: u32 = 40;
/// Blocks of a test in a session, as many as the lab plans for most tests.
const BLOCKS: u32 = 50;
/// Readings of a slice.
const READINGS: usize = 8;

/// `bench merge [SHARDS [BLOCKS [HOSTS [only]]]]`: blocks of each shard; without a number of hosts, each shard is of its own. With
/// `only`, there is no merge with verdicts. Shards are copies of one, which a file system like Btrfs or XFS keeps once: TMPDIR says where.
///
/// # Errors
/// If a shard cannot be written, or a command fails.
pub fn main(args: &[&str]) -> Result<(), String> {
    if let [KEEP, file] = args {
        return keep_judgement(Path::new(file)).map_err(|fault| fault.to_string());
    }
    let number = |place: usize, default: u32| {
        let typed = args.get(place).map_or(Ok(default), |text| text.parse());
        typed.map_err(|error| format!("SHARDS, BLOCKS and HOSTS are numbers: {error}"))
    };
    let (shards, blocks) = (number(0, 20)?, number(1, 100_000)?);
    let hosts = number(2, shards)?.max(1);
    let folder = std::env::temp_dir().join(format!("humdrum-bench-merge-{}", std::process::id()));
    let judges = match args.get(3) {
        None => true,
        Some(&"only") => false,
        Some(other) => return Err(format!("`only`, and not `{other}`, leaves judging out")),
    };
    let measured = bench(&folder, shards, blocks, hosts, judges);
    let removed = std::fs::remove_dir_all(&folder);
    measured?;
    removed.map_err(|error| format!("{}: {error}", folder.display()))
}

fn bench(folder: &Path, shards: u32, blocks: u32, hosts: u32, judges: bool) -> Result<(), String> {
    let begun = Instant::now();
    let sessions = (blocks / (TESTS * BLOCKS)).max(1);
    let bytes = make(folder, shards, sessions, hosts)?;
    println!(
        "{shards} shards of {} blocks on {hosts} hosts, {:.1} MB each, made in {:.0} s",
        sessions * TESTS * BLOCKS,
        bytes as f64 / 1e6,
        begun.elapsed().as_secs_f64()
    );
    let humdrum = humdrum()?;
    let names: Vec<String> = (1..=shards).map(|number| format!("s{number}")).collect();
    let merge = |how: &[&'static str]| -> Vec<&str> {
        [&["merge"], &*names.iter().map(String::as_str).collect::<Vec<_>>(), how].concat()
    };
    println!("command\tseconds\tpeak memory, MB");
    run(&humdrum, folder, "merge --no-report", &merge(&["-o", "together", "--no-report"]))?;
    if judges { run(&humdrum, folder, "merge", &merge(&["-o", "judged"])) } else { Ok(()) }
}

/// Runs a command, and prints how long it took and the most memory it had.
fn run(humdrum: &Path, folder: &Path, shown: &str, args: &[&str]) -> Result<(), String> {
    let mut command = Command::new(humdrum);
    command.current_dir(folder).args(args).arg("--quiet").stdout(Stdio::null());
    let begun = Instant::now();
    let child = command.spawn().map_err(|error| format!("{}: {error}", humdrum.display()))?;
    let (status, usage) = wait_for(child.id())?;
    if !matches!(status.code(), Some(0 | 1)) {
        return Err(format!("humdrum {shown} ended with {status}"));
    }
    println!("{shown}\t{:.2}\t{:.0}", begun.elapsed().as_secs_f64(), usage.ru_maxrss as f64 / 1024.0);
    Ok(())
}

/// The program in a release build.
pub(super) fn humdrum() -> Result<PathBuf, String> {
    let mut build = Command::new(cargo());
    let status = build.args(["build", "--release", "--quiet", "--package", "humdrum"]).status();
    if !status.map_err(|error| format!("cargo cannot be started: {error}"))?.success() {
        return Err("humdrum cannot be built".to_owned());
    }
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let target = program.parent().and_then(Path::parent).unwrap_or(&program);
    Ok(target.join("release/humdrum"))
}

/// Makes the shards in `folder`; returns the size of one. All have the same blocks, of which the first shard's are written and the
/// others' are copied.
fn make(folder: &Path, shards: u32, sessions: u32, hosts: u32) -> Result<u64, String> {
    let file = |number: u32| folder.join(format!("s{number}/results.sqlite"));
    let text = |error: std::io::Error| format!("{}: {error}", folder.display());
    for number in 1..=shards {
        std::fs::create_dir_all(folder.join(format!("s{number}"))).map_err(text)?;
        if number == 1 {
            first(&file(1), &record(1, shards, sessions, hosts)).map_err(|fault| fault.to_string())?;
            fill(&file(1), sessions).map_err(|error| error.to_string())?;
            judged_apart(&file(1))?;
            continue;
        }
        std::fs::copy(file(1), file(number)).map_err(text)?;
        claim(&file(number), &record(number, shards, sessions, hosts)).map_err(|error| error.to_string())?;
    }
    std::fs::metadata(file(1)).map(|metadata| metadata.len()).map_err(text)
}

fn first(file: &Path, record: &Results) -> Result<(), Fault> {
    Store::create(file, record)?.finish()
}

/// Writes blocks in a few statements, because a transaction for each would take minutes.
fn fill(file: &Path, sessions: u32) -> rusqlite::Result<()> {
    let connection = Connection::open(file)?;
    let readings = format!("[{}]", ["1234567"; READINGS].join(","));
    connection.execute_batch(&format!(
        "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; BEGIN;
         WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {count})
         INSERT INTO block SELECT i + 1, 'test-' || (i / {BLOCKS} % {TESTS}), i / {BLOCKS} / {TESTS}, i % {BLOCKS}, NULL FROM n;
         INSERT INTO slice SELECT id, 0, id % 2, id * 40000000, 10000000 + abs(id * 7919 % 200003), 500, 25, 500, 2000000,
                '{readings}', '[2500000,5000000,7500000]', 0, NULL, NULL FROM block;
         INSERT INTO slice SELECT id, 1, 1 - id % 2, id * 40000000 + 20000000, 10000000 + abs(id * 104729 % 200003), 500, 25, 500,
                2000000, '{readings}', '[2500000,5000000,7500000]', 0, NULL, NULL FROM block;
         COMMIT;",
        count = sessions * TESTS * BLOCKS
    ))
}

/// In a process of its own: what a child of this one needs at most begins with what this one had.
fn judged_apart(file: &Path) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let status = Command::new(program).args(["bench", "merge", KEEP]).arg(file).status();
    let is_kept = status.map_err(|error| error.to_string())?.success();
    if is_kept { Ok(()) } else { Err("the judgement cannot be kept".to_owned()) }
}

/// What a run does at its end. A judgement says nothing of the host, so that it goes with the copies.
fn keep_judgement(file: &Path) -> Result<(), Fault> {
    let mut store = Store::open_quickly(file)?;
    let judgement = JudgedRun::of(&as_host(store.read()?), &Options::default());
    store.lock()?;
    store.keep_judgement(RULES, &judgement)?;
    store.finish()
}

/// Makes a copied file that of another shard.
fn claim(file: &Path, record: &Results) -> rusqlite::Result<()> {
    let connection = Connection::open(file)?;
    for (key, value) in [("plan", json(&record.plan)), ("host", json(&record.host))] {
        connection.execute("UPDATE meta SET value = ?2 WHERE key = ?1", [key, &value])?;
    }
    connection.execute("UPDATE meta SET value = ?1 WHERE key = 'started'", [&record.started]).map(|_| ())
}

/// Plain data, which always has a JSON form.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn record(number: u32, of: u32, sessions: u32, hosts: u32) -> Results {
    let tests = (0..TESTS).map(|test| TestInfo {
        name: format!("test-{test}"),
        group: "point".into(),
        operation: "one call".into(),
        statements: 1,
        ..TestInfo::default()
    });
    let tests: Vec<TestInfo> = tests.collect();
    let metric = |number| Metric {
        name: format!("metric_{number}"),
        unit: "x".into(),
        better: Better::Less,
        kind: MetricKind::Counter,
        description: String::new(),
    };
    let session = |number| SessionInfo {
        number,
        stage: Stage::Confirmation,
        restarted: true,
        reloaded: false,
        tests: tests.iter().map(|test| test.name.clone()).collect(),
        stretch: 1.0,
        unrecorded: Vec::new(),
        subjects: Vec::new(),
    };
    Results {
        tool: "humdrum bench".into(),
        started: format!("2026-01-01T{:02}:{:02}:00Z", number / 60, number % 60),
        seconds: 60.0,
        host: HostFacts { id: Some(format!("host-{}", number % hosts)), ..HostFacts::default() },
        metrics: (0..READINGS).map(metric).collect(),
        subjects: (0..2).map(facts).collect(),
        sessions: (0..sessions).map(session).collect(),
        finished: true,
        ..Results::of(plan(
            Shard { number, of, seed: 1, screening_sessions: 0, confirmation_sessions: of * sessions },
            tests,
        ))
    }
}

fn facts(number: usize) -> SubjectFacts {
    SubjectFacts { fingerprint: number.to_string(), ..SubjectFacts::default() }
}

fn plan(shard: Shard, tests: Vec<TestInfo>) -> Plan {
    let subject = |label: &str| Subject {
        label: label.into(),
        engine: "fake".into(),
        place: Place::Folder(PathBuf::from("/build")),
        settings: Vec::new(),
    };
    let own = shard.confirmation_sessions / shard.of;
    Plan {
        suite: "sysbench".into(),
        subjects: vec![subject("base"), subject("other")],
        tests,
        scale: Scale { name: "tiny".into(), rows: 1, tables: 1, clients: 1, ..Scale::default() },
        mode: Mode::Interleaved,
        seed: u64::from(shard.number),
        budget_seconds: 60.0,
        design: Design { confirmation_sessions: own, screening_sessions: 0, ..Design::default() },
        strict: false,
        compat: false,
        suite_sha256: None,
        judging: Judging::default(),
        memory_bytes: None,
        fsync_delay_us: None,
        shard: Some(shard),
        imported: None,
        after_load: Vec::new(),
        builds: None,
    }
}

//! Repetitions as a record.
//!
//! ```text
//!               session 0    session 1    session 2
//!   base        ▓▓ run 1     ▓▓ run 2     ▓▓ run 3      one block a session and test:
//!   subject     ▓▓ run 1     ▓▓ run 2                   a whole run of each that has one
//! ```

use std::collections::{BTreeMap, BTreeSet};

use humdrum_model::{
    Block, Design, Dimension, HostFacts, Imported, ImportedFile, Judging, Latency, Metric, Mode, Plan,
    Results, RunRates, Scale, SessionInfo, Slice, Stage, SubjectFacts, THROUGHPUT, TestInfo,
};

use crate::assemble::Import;
use crate::found::Reading;
use crate::runs::{Key, Run, Runs};
use crate::source::Source;

/// The record of all runs, without remarks.
pub(crate) fn record(import: &Import, runs: &Runs, sources: &[Source], counts: &[u64]) -> Results {
    let mut named: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (key, _) in &runs.tests {
        named.entry(&key.name).or_default().insert(key.operation);
    }
    let tests: Vec<TestInfo> = runs
        .tests
        .iter()
        .map(|(key, _)| test(key, named.get(key.name.as_str()).map_or(1, BTreeSet::len)))
        .collect();
    let metrics = metrics(runs);
    let mut rows = Rows::default();
    for (info, (_, subjects)) in tests.iter().zip(&runs.tests) {
        rows.add(info, subjects, &metrics);
    }
    let imported = imported(runs, sources, counts);
    let tools: Vec<Option<&String>> = sources.iter().map(|source| source.found.tool.as_ref()).collect();
    Results {
        tool: import.tool.clone(),
        started: import.started.clone(),
        seconds: rows
            .blocks
            .iter()
            .flat_map(|block| &block.slices)
            .map(|slice| slice.wall_ns as f64 / 1e9)
            .sum(),
        subjects: (0..runs.subjects.len()).map(|subject| facts(runs, subject, &imported, &tools)).collect(),
        host: HostFacts { cpu_model: import.host.clone().unwrap_or_default(), ..HostFacts::default() },
        metrics,
        sessions: rows.sessions(),
        blocks: rows.blocks,
        latencies: rows.latencies,
        run_rates: rows.rates,
        finished: true,
        ..Results::of(plan(runs, tests, imported))
    }
}

fn plan(runs: &Runs, tests: Vec<TestInfo>, imported: Imported) -> Plan {
    let clients = runs
        .tests
        .iter()
        .flat_map(|(_, all)| all.iter().flatten())
        .filter_map(|run| run.repetition.clients)
        .max();
    let design =
        Design { confirmation_sessions: 0, restart: false, assumed_session_sd: 0.0, ..Design::default() };
    Plan {
        suite: imported.readers().join("+"),
        subjects: runs.subjects.clone(),
        tests,
        scale: Scale { name: "custom".into(), clients: clients.unwrap_or(0), ..Scale::default() },
        mode: Mode::Sequential,
        seed: 0,
        budget_seconds: 0.0,
        design,
        strict: false,
        compat: false,
        suite_sha256: None,
        judging: Judging { quantities: vec![THROUGHPUT.to_owned()], gate: false },
        memory_bytes: None,
        fsync_delay_us: None,
        shard: None,
        imported: Some(imported),
        after_load: Vec::new(),
        builds: None,
    }
}

/// A test; where tests of one name count several operations, the name says which.
fn test(key: &Key, operations: usize) -> TestInfo {
    let name = if operations > 1 { format!("{} ({})", key.name, key.operation) } else { key.name.clone() };
    let info = TestInfo {
        name,
        group: key.reader.to_owned(),
        operation: key.operation.to_owned(),
        statements: 1,
        ..TestInfo::default()
    };
    key.clients.map_or_else(|| info.clone(), |clients| info.with(Dimension::Clients, clients.into()))
}

/// The readings that every repetition has.
fn metrics(runs: &Runs) -> Vec<Metric> {
    let all =
        || runs.tests.iter().flat_map(|(_, all)| all.iter().flatten()).map(|run| &run.repetition.readings);
    let everywhere = |reading: &&Reading| all().all(|own| own.iter().any(|one| one.name == reading.name));
    let first = all().next().map(Vec::as_slice).unwrap_or_default();
    let metric = |reading: &Reading| Metric {
        name: reading.name.to_owned(),
        unit: reading.unit.to_owned(),
        better: reading.better,
        kind: reading.kind,
        description: reading.description.to_owned(),
    };
    first.iter().filter(everywhere).map(metric).collect()
}

fn imported(runs: &Runs, sources: &[Source], counts: &[u64]) -> Imported {
    let mut subjects: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); sources.len()];
    for (subject, own) in runs.tests.iter().flat_map(|(_, all)| all.iter().enumerate()) {
        for run in own {
            subjects[run.file].insert(subject);
        }
    }
    let file = |((source, results), subjects): ((&Source, &u64), BTreeSet<usize>)| ImportedFile {
        path: source.given.path.display().to_string(),
        reader: source.reader.to_owned(),
        subjects: subjects.into_iter().collect(),
        bytes: source.bytes,
        results: *results,
        unread_lines: source.found.unread.count,
    };
    Imported { files: sources.iter().zip(counts).zip(subjects).map(file).collect() }
}

fn facts(runs: &Runs, subject: usize, imported: &Imported, tools: &[Option<&String>]) -> SubjectFacts {
    let own = || imported.files.iter().zip(tools).filter(|(file, _)| file.subjects.contains(&subject));
    let mut build: Vec<String> =
        own().filter_map(|(_, tool)| Some(format!("measured by {}", (*tool)?))).collect();
    build.dedup();
    let files = own().count();
    let noun = if files == 1 { "file" } else { "files" };
    SubjectFacts {
        version: runs.subjects[subject].place.to_string(),
        origin: format!("{files} imported {noun}"),
        build,
        // Nothing says that two subjects are one build.
        fingerprint: format!("imported {subject} {}", runs.subjects[subject]),
        ..SubjectFacts::default()
    }
}

/// Rows of the record.
#[derive(Default)]
struct Rows {
    blocks: Vec<Block>,
    latencies: Vec<Latency>,
    rates: Vec<RunRates>,
}

impl Rows {
    fn add(&mut self, info: &TestInfo, subjects: &[Vec<Run>], metrics: &[Metric]) {
        let sessions = subjects.iter().map(Vec::len).max().unwrap_or(0);
        let mut ends = vec![0_u64; subjects.len()];
        for number in 0..sessions {
            let session = number as u32;
            let mut slices = Vec::new();
            for (subject, runs) in subjects.iter().enumerate() {
                let Some(run) = runs.get(number) else { continue };
                slices.push(slice(subject, run, metrics, ends[subject]));
                ends[subject] = ends[subject].saturating_add(run.repetition.wall_ns);
                self.beside(info, session, subject, run);
            }
            self.blocks.push(Block { test: info.name.clone(), session, index: 0, slices, discarded: None });
        }
    }

    /// What a repetition has beside its totals.
    fn beside(&mut self, info: &TestInfo, session: u32, subject: usize, run: &Run) {
        let test = || info.name.clone();
        if !run.repetition.latency.is_empty() {
            let buckets = run.repetition.latency.clone().into_iter().collect();
            self.latencies.push(Latency { test: test(), session, subject, buckets });
        }
        let points = run.repetition.course.points().to_vec();
        if !points.is_empty() {
            self.rates.push(RunRates { test: test(), session, subject, points });
        }
    }

    fn sessions(&self) -> Vec<SessionInfo> {
        let mut tests: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        for block in &self.blocks {
            tests.entry(block.session).or_default().push(block.test.clone());
        }
        let session = |(number, tests): (u32, Vec<String>)| SessionInfo {
            number,
            stage: Stage::Confirmation,
            restarted: false,
            reloaded: false,
            tests,
            stretch: 1.0,
            unrecorded: Vec::new(),
            subjects: Vec::new(),
        };
        tests.into_iter().map(session).collect()
    }
}

fn slice(subject: usize, run: &Run, metrics: &[Metric], start_ns: u64) -> Slice {
    let reading = |metric: &Metric| {
        run.repetition.readings.iter().find(|one| one.name == metric.name).map_or(0, |one| one.value)
    };
    Slice {
        subject,
        start_ns,
        wall_ns: run.repetition.wall_ns,
        operations: run.repetition.operations,
        guard_operations: 0,
        // Files do not say what statements returned.
        rows: 0,
        client_cpu_ns: 0,
        readings: metrics.iter().map(reading).collect(),
        quarter_ns: None,
        idle_ns: None,
        blamed: false,
        scripts: Vec::new(),
    }
}

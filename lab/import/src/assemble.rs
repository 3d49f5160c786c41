//! Repetitions as a record.
//!
//! ```text
//!               session 0    session 1    session 2
//!   base        ▓▓ run 1     ▓▓ run 2     ▓▓ run 3      one block a session and test:
//!   subject     ▓▓ run 1     ▓▓ run 2                   a whole run of each that has one
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use humdrum_model::{
    Block, Design, Fault, HostFacts, Imported, ImportedFile, Judging, Latency, Metric, MetricKind, Mode,
    Plan, Results, RunRates, Scale, SessionInfo, Slice, Stage, SubjectFacts, THROUGHPUT, TestInfo,
};

use crate::files::{Group, expand};
use crate::found::{Options, Reading};
use crate::remarks::{coverage, of_file, remark};
use crate::runs::{Key, Run, Runs};
use crate::source::{self, Source};

/// What to read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Import {
    /// Files by subject, the base's first.
    pub groups: Vec<Group>,
    /// The reader of all files; `None`: each file shows it.
    pub format: Option<String>,
    /// What files do not say.
    pub options: Options,
    /// `humdrum 0.1.0`.
    pub tool: String,
    /// When this was, UTC, RFC 3339.
    pub started: String,
    /// The host, in words.
    pub host: Option<String>,
}

/// What was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The record.
    pub results: Results,
    /// A line for each subject: its tests and repetitions.
    pub lines: Vec<String>,
}

/// Reads all files. `watch` is called with a file and the bytes read of it; an error of it ends the reading.
///
/// # Errors
/// Usage: a file that cannot be read, is of no format or of several, or results that cannot be compared.
pub fn read(import: &Import, watch: &mut dyn FnMut(&Path, u64) -> Result<(), Fault>) -> Result<Read, Fault> {
    let mut sources: Vec<Source> = Vec::new();
    let mut foreign = Vec::new();
    for given in expand(&import.groups)? {
        let path = given.path.clone();
        let mut watch = |bytes| watch(&path, bytes);
        match source::read(given, import.format.as_deref(), &import.options, &mut watch)? {
            Some(source) => sources.push(source),
            None => foreign.push(path),
        }
    }
    let mut remarks = once(&sources)?;
    remarks.extend(resultless(&sources, &import.groups)?);
    if let Some(first) = foreign.first() {
        let rest = foreign.len();
        remarks.push(format!(
            "{rest} files in the folders are of no known format and were left out, such as {}",
            first.display()
        ));
    }
    let counts: Vec<u64> = sources.iter().map(|source| source.found.repetitions.len() as u64).collect();
    let runs = Runs::new(&mut sources, &import.groups, &import.options)?;
    let mut results = record(import, &runs, &sources, &counts);
    let unread = sources.iter().flat_map(of_file);
    results.events = coverage(&runs).into_iter().chain(remarks).chain(unread).map(remark).collect();
    Ok(Read { lines: lines(&runs), results })
}

/// Refuses two files of the same content in one group, and tells of those in two.
fn once(sources: &[Source]) -> Result<Vec<String>, Fault> {
    let mut known: BTreeMap<u64, &Source> = BTreeMap::new();
    let mut remarks = Vec::new();
    for source in sources.iter().filter(|source| source.bytes > 0) {
        let Some(other) = known.insert(source.content, source) else { continue };
        let what = format!(
            "{} and {} have the same content",
            other.given.path.display(),
            source.given.path.display()
        );
        if other.given.group == source.given.group {
            return Err(Fault::usage(what).hint("a copy is no repetition: leave one out"));
        }
        remarks.push(what);
    }
    Ok(remarks)
}

/// Files without a result are remarks; a subject without any is an error.
fn resultless(sources: &[Source], groups: &[Group]) -> Result<Vec<String>, Fault> {
    for (number, group) in groups.iter().enumerate() {
        let own: Vec<&Source> = sources.iter().filter(|source| source.given.group == number).collect();
        if own.iter().any(|source| !source.found.repetitions.is_empty()) {
            continue;
        }
        let whose = group.subject.as_ref().map_or_else(String::new, |subject| format!("{}: ", subject.label));
        let said: Vec<String> = own.iter().flat_map(|source| of_file(source)).take(3).collect();
        let said = if said.is_empty() { String::new() } else { format!(": {}", said.join("; ")) };
        let what = format!("{whose}no result in {} files{said}", own.len());
        return Err(
            Fault::usage(what).hint("give the whole output of finished runs; --format names another reader")
        );
    }
    let empty = sources.iter().filter(|source| source.found.repetitions.is_empty());
    Ok(empty.map(|source| format!("{}: no result in this file", source.given.path.display())).collect())
}

fn lines(runs: &Runs) -> Vec<String> {
    let line = |subject: usize| {
        let own: Vec<usize> =
            runs.tests.iter().map(|(_, all)| all[subject].len()).filter(|count| *count > 0).collect();
        let (least, most) = (own.iter().min().copied().unwrap_or(0), own.iter().max().copied().unwrap_or(0));
        let repetitions = if least == most { format!("{most}") } else { format!("{least} to {most}") };
        let [tests, times] = [(own.len(), "test"), (most, "repetition")]
            .map(|(count, noun)| if count == 1 { noun.to_owned() } else { format!("{noun}s") });
        format!("{}: {} {tests}, {repetitions} {times} each", runs.subjects[subject].label, own.len())
    };
    (0..runs.subjects.len()).map(line).collect()
}

fn record(import: &Import, runs: &Runs, sources: &[Source], counts: &[u64]) -> Results {
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
        plan: plan(runs, tests, imported),
        host: HostFacts { cpu_model: import.host.clone().unwrap_or_default(), ..HostFacts::default() },
        aa_floor: None,
        aa_excess: None,
        metrics,
        loads: Vec::new(),
        calibrations: Vec::new(),
        sessions: rows.sessions(),
        blocks: rows.blocks,
        latencies: rows.latencies,
        states: Vec::new(),
        debts: Vec::new(),
        examinations: Vec::new(),
        query_plans: Vec::new(),
        steps: Vec::new(),
        host_readings: Vec::new(),
        run_rates: rows.rates,
        events: Vec::new(),
        finished: true,
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
        shard: None,
        imported: Some(imported),
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
    key.clients.map_or_else(|| info.clone(), |clients| info.with_clients(clients))
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
        kind: MetricKind::Gauge,
        description: reading.description.to_owned(),
    };
    first.iter().filter(everywhere).map(metric).collect()
}

fn imported(runs: &Runs, sources: &[Source], counts: &[u64]) -> Imported {
    let mut subjects: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); sources.len()];
    for (subject, own) in runs.tests.iter().flat_map(|(_, all)| all.iter().enumerate()) {
        own.iter().for_each(|run| drop(subjects[run.file].insert(subject)));
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
    }
}

//! A constructed run: one improvement, some boring tests, one inconclusive, one failed, one wrong answer.

mod amounts;
mod configurations;
mod host;
mod hostile;
mod numbers;
mod releases;
mod why;

use std::collections::BTreeMap;

use humdrum_model::{
    Block, Comparison, Design, Event, HostFacts, Judging, LatencyPair, Mode, Percentiles, Place, Plan,
    Results, Scale, SessionInfo, Slice, Stage, Subject, SubjectFacts, Summary, TestInfo, TestResult,
    TestStatus, Verdict,
};

use crate::Extras;
use amounts::{costs, latencies, unmeasured, written};
pub(crate) use configurations::configurations;
pub(crate) use host::on_hosts;
use host::{host, host_speed};
pub(crate) use hostile::{HOSTILE, make_hostile};
pub(crate) use numbers::{by_clients, by_rows};
pub(crate) use releases::releases;
pub(crate) use why::{make_why_hostile, why, with_counted_waits};

/// What a test of the fixture is: name, group, verdict, rqps, half-width.
type Row = (&'static str, &'static str, Verdict, f64, f64);

const ROWS: [Row; 6] = [
    ("hot-points", "point", Verdict::Improvement, 2.02, 0.04),
    ("point-query", "point", Verdict::Boring, 1.002, 0.004),
    ("points-notcovered-si", "point", Verdict::Boring, 0.997, 0.005),
    ("range-covered-pk", "range", Verdict::Boring, 0.994, 0.003),
    ("scan", "range", Verdict::Inconclusive, 0.981, 0.018),
    ("read-only_range=10000", "aggregate", Verdict::Boring, 1.001, 0.006),
];

pub(crate) fn run() -> (Summary, Results, Extras) {
    let mut tests: Vec<TestResult> = ROWS.iter().map(measured).collect();
    tests.push(written());
    tests[4].notes.push("about 6 more sessions would decide".into());
    tests.push(unmeasured(
        "random-points-1000",
        "point",
        TestStatus::Failed,
        "connection closed (session 3)",
    ));
    tests.push(unmeasured(
        "read-only-sum",
        "aggregate",
        TestStatus::WrongAnswer,
        "1000 rows where the base has 999",
    ));
    let host = host();
    let results = results(&tests, host.clone());
    let comparisons = vec![Comparison { subject: "postgres@17.7".into(), tests }];
    let summary = Summary {
        schema: 1,
        tool: "humdrum 0.1.0".into(),
        suite: "sysbench".into(),
        seed: 1,
        mode: Mode::Interleaved,
        judging: Judging::default(),
        host,
        host_speed: Some(host_speed()),
        aa_floor: Some(0.004),
        aa_excess: Some(0.0),
        aa_floor_within: Some(0.0021),
        warnings: Vec::new(),
        certificates: Vec::new(),
        imported: None,
        slice_checks: vec![("point-query".into(), 1.001, [0.996, 1.006])],
        base: "postgres@16.11".into(),
        choice: None,
        finished: true,
        seconds: 291.0,
        comparisons,
        steps: Vec::new(),
        series: None,
    };
    (summary, results, extras())
}

fn measured(&(name, group, verdict, rqps, half): &Row) -> TestResult {
    let latency = |scale: f64| Percentiles {
        p50: 190.0 * scale,
        p95: 240.0 * scale,
        p99: 310.0 * scale,
        p99_9: 900.0 * scale,
        p99_99: 2500.0 * scale,
        max: 4100.0,
    };
    let log = rqps.ln();
    TestResult {
        test: name.into(),
        group: group.into(),
        operation: format!("one {name} statement"),
        rows: None,
        clients: None,
        status: TestStatus::Ok,
        verdict: Some(verdict),
        rqps: Some(rqps),
        ci95: Some([rqps - half, rqps + half]),
        p_adjusted: Some(if verdict == Verdict::Improvement { 0.0001 } else { 0.4 }),
        minimum_detectable: Some(half * 1.4),
        delta: 0.01,
        blocks: 4000,
        blocks_discarded: 1,
        sessions: 12,
        seconds: 41.2,
        base_qps: Some(5000.0),
        qps: Some(5000.0 * rqps),
        latency_us: Some(LatencyPair { base: latency(1.0), subject: latency(1.0 / rqps) }),
        cost: costs(rqps),
        debt: BTreeMap::new(),
        state: BTreeMap::new(),
        session_log_ratios: vec![log - 0.002, log + 0.003, log, log - 0.001],
        typical: None,
        blame: None,
        carry_over: None,
        reach: None,
        build_level: None,
        runs: Vec::new(),
        judged: BTreeMap::new(),
        scripts: Vec::new(),
        notes: Vec::new(),
    }
}

fn results(tests: &[TestResult], host: HostFacts) -> Results {
    let session = |number| SessionInfo {
        number,
        stage: if number == 0 { Stage::Screening } else { Stage::Confirmation },
        restarted: true,
        reloaded: false,
        tests: Vec::new(),
        stretch: 1.0,
        unrecorded: Vec::new(),
        subjects: Vec::new(),
    };
    let facts = |version: &str| SubjectFacts {
        version: format!("PostgreSQL {version}"),
        origin: format!("catalogue, {version}"),
        build: vec!["gcc -O2".into()],
        ..SubjectFacts::default()
    };
    Results {
        tool: "humdrum 0.1.0".into(),
        started: "2026-01-02T03:04:05Z".into(),
        seconds: 291.0,
        host,
        aa_floor: Some(0.004),
        aa_excess: Some(0.0),
        subjects: vec![facts("16.11"), facts("17.7")],
        sessions: (0..4).map(session).collect(),
        blocks: (0..10).map(block).collect(),
        latencies: latencies(),
        events: events(),
        finished: true,
        ..Results::of(plan(tests))
    }
}

fn plan(tests: &[TestResult]) -> Plan {
    let subject = |version: &str| Subject {
        label: format!("postgres@{version}"),
        engine: "postgres".into(),
        place: Place::Version(version.into()),
        settings: Vec::new(),
    };
    let info = |test: &TestResult| TestInfo {
        name: test.test.clone(),
        group: test.group.clone(),
        operation: test.operation.clone(),
        writes: test.group == "write",
        long: test.test == "scan",
        statements: 1,
        ..TestInfo::default()
    };
    Plan {
        suite: "sysbench".into(),
        subjects: vec![subject("16.11"), subject("17.7")],
        tests: tests.iter().map(info).collect(),
        scale: Scale { name: "small".into(), rows: 100_000, tables: 1, clients: 1, ..Scale::default() },
        mode: Mode::Interleaved,
        seed: 1,
        budget_seconds: 300.0,
        design: design(),
        strict: false,
        compat: false,
        suite_sha256: None,
        judging: Judging::default(),
        memory_bytes: None,
        fsync_delay_us: None,
        imported: None,
        after_load: Vec::new(),
        builds: None,
        shard: None,
    }
}

fn design() -> Design {
    Design {
        screening_sessions: 2,
        confirmation_sessions: 12,
        seconds_per_test_session: 2.0,
        warmup_seconds: 0.2,
        first_warmup_seconds: 1.0,
        slice_ms: 5.0,
        guard_ms: 0.5,
        assumed_session_sd: 0.004,
        timeout_seconds: 60.0,
        ..Design::default()
    }
}

fn block(index: u32) -> Block {
    let slice = |subject| Slice {
        subject,
        start_ns: u64::from(index) * 10_000_000,
        wall_ns: 5_000_000,
        operations: 25,
        guard_operations: 3,
        rows: 2500,
        client_cpu_ns: 250_000,
        readings: Vec::new(),
        quarter_ns: None,
        idle_ns: None,
        scripts: Vec::new(),
        blamed: false,
    };
    let why = match index {
        3 => Some("steal: 3.2 % of the host over 0.1 s"),
        4 => Some("steal: 4.0 % of the host over 0.1 s"),
        7 => Some("sampler gap"),
        _ => None,
    };
    Block {
        test: "point-query".into(),
        session: 1,
        index,
        slices: vec![slice(0), slice(1)],
        discarded: why.map(str::to_owned),
    }
}

fn events() -> Vec<Event> {
    let event = |subject, test: &str, status, what: &str, log: Option<&str>| Event {
        subject: Some(subject),
        test: Some(test.into()),
        session: Some(3),
        status,
        what: what.into(),
        log_tail: log.map(str::to_owned),
    };
    vec![
        event(
            1,
            "random-points-1000",
            TestStatus::Failed,
            "the server closed the connection",
            Some("LOG:  server process was terminated by signal 9\nLOG:  \u{1b}[31mshutting down <now>"),
        ),
        event(1, "read-only-sum", TestStatus::WrongAnswer, "1000 rows where the base has 999", None),
    ]
}

/// A list of flags that no line has room for; only the last one differs.
fn flags(last: &str) -> String {
    (0..20).map(|number| format!("flag_{number}=on,")).collect::<String>() + "hash_join=" + last
}

fn extras() -> Extras {
    let points =
        |qps: f64| (0..40).map(|at| (f64::from(at) * 0.5, qps + f64::from(at % 3), at == 7)).collect();
    Extras {
        setting_differences: vec![
            ("io_combine_limit".into(), vec![None, Some("128kB".into())]),
            ("planner_flags".into(), ["off", "on"].map(|last| Some(flags(last))).into()),
            ("vacuum_buffer_usage_limit".into(), vec![Some("256kB".into()), Some("2MB".into())]),
        ],
        rate_series: BTreeMap::from([("hot-points".into(), vec![points(5000.0), points(10_100.0)])]),
        explanations: vec![why("hot-points")],
        home: None,
    }
}

//! Made-up runs with one known cause each.

use humdrum_model::{
    Better, Block, CounterDelta, Design, Examination, Judging, Metric, MetricKind, Mode, Place, Plan,
    QueryPlan, Results, Scale, SessionInfo, Slice, Stage, Subject, SubjectFacts, TestInfo, Wait, WaitKind,
};

/// What one operation takes, ns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    pub(crate) server: i64,
    pub(crate) client: i64,
    pub(crate) lock: i64,
    pub(crate) rest: i64,
    pub(crate) switches: i64,
}

/// A quiet operation of 100 µs.
pub(crate) const BASE: Costs = Costs { server: 60_000, client: 20_000, lock: 0, rest: 20_000, switches: 2 };

const OPERATIONS: u64 = 100;
const READINGS: [&str; 4] = ["server_cpu_ns", "run_queue_wait_ns", "server_switches", "background_cpu_ns"];

/// Six sessions of ten blocks of the test `t`, and three rounds of examinations.
pub(crate) fn run(base: Costs, subject: Costs) -> Results {
    let mut results = empty();
    for session in 0..6 {
        results.sessions.push(SessionInfo {
            number: session,
            stage: Stage::Confirmation,
            restarted: true,
            reloaded: false,
            tests: vec!["t".into()],
            stretch: 1.0,
            unrecorded: Vec::new(),
            subjects: Vec::new(),
        });
        for index in 0..10 {
            let slices = vec![slice(0, base, session), slice(1, subject, session)];
            results.blocks.push(Block { test: "t".into(), session, index, slices, discarded: None });
        }
    }
    for round in 0..3 {
        results.examinations.extend([examination(0, base, round), examination(1, subject, round)]);
    }
    results
}

/// A slice. Sessions differ by up to half a percent, so that intervals have a width.
fn slice(subject: usize, costs: Costs, session: u32) -> Slice {
    let luck = 1.0 + 0.001 * f64::from(session * (1 + subject as u32));
    let all = |ns: i64| (ns as f64 * luck * OPERATIONS as f64) as i64;
    let wall = all(costs.server + costs.client + costs.lock + costs.rest);
    Slice {
        subject,
        start_ns: 0,
        wall_ns: wall.cast_unsigned(),
        operations: OPERATIONS,
        guard_operations: 0,
        rows: OPERATIONS,
        client_cpu_ns: all(costs.client).cast_unsigned(),
        readings: vec![all(costs.server), 0, costs.switches * OPERATIONS as i64, 0],
        quarter_ns: None,
        idle_ns: None,
        scripts: Vec::new(),
        blamed: false,
    }
}

fn examination(subject: usize, costs: Costs, round: u32) -> Examination {
    let wall = costs.server + costs.client + costs.lock + costs.rest;
    let locked = (1000 * costs.lock / wall) as u64 + u64::from(round);
    let wait = |kind, event: &str, samples| Wait { kind, event: event.into(), samples };
    Examination {
        test: "t".into(),
        round,
        subject,
        operations: OPERATIONS,
        wall_ns: 1,
        counters: vec![
            CounterDelta { name: "blocks.read".into(), delta: 100.0 + f64::from(round) },
            CounterDelta { name: "rows".into(), delta: (costs.server / 600) as f64 + f64::from(round) },
        ],
        samples: 1000,
        waits: vec![wait(WaitKind::Cpu, "", 1000 - locked), wait(WaitKind::Lock, "Lock relation", locked)],
    }
}

/// Adds both servers' query plans of the test's statement.
pub(crate) fn plans(results: &mut Results, base: &str, subject: &str) {
    for (number, text) in [base, subject].into_iter().enumerate() {
        let (statement, lines) = ("SELECT 1".into(), vec![text.to_owned()]);
        results.query_plans.push(QueryPlan { test: "t".into(), subject: number, statement, lines });
    }
}

fn counter(name: &str) -> Metric {
    Metric {
        name: name.into(),
        unit: "x".into(),
        better: Better::Less,
        kind: MetricKind::Counter,
        description: String::new(),
    }
}

pub(crate) fn empty() -> Results {
    let subject = |label: &str, version: &str| Subject {
        label: label.into(),
        engine: "fake".into(),
        place: Place::Version(version.into()),
        settings: Vec::new(),
    };
    let facts = |version: &str| SubjectFacts { version: version.into(), ..SubjectFacts::default() };
    Results {
        tool: "humdrum test".into(),
        started: "2026-01-01T00:00:00Z".into(),
        seconds: 60.0,
        metrics: READINGS.iter().map(|name| counter(name)).collect(),
        subjects: vec![facts("1"), facts("2")],
        finished: true,
        ..Results::of(Plan {
            suite: "sysbench".into(),
            subjects: vec![subject("old", "1"), subject("new", "2")],
            tests: vec![TestInfo {
                name: "t".into(),
                group: "point".into(),
                statements: 1,
                ..TestInfo::default()
            }],
            scale: Scale { name: "tiny".into(), rows: 1, tables: 1, clients: 1, ..Scale::default() },
            mode: Mode::Interleaved,
            seed: 1,
            budget_seconds: 60.0,
            design: Design::default(),
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
        })
    }
}

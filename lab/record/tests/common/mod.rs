//! Results with a row of every kind, and random blocks.

use humdrum_model::*;
use proptest::prelude::*;

fn plan() -> Plan {
    let subject = |label: &str| Subject {
        label: label.into(),
        engine: "fake".into(),
        place: Place::Version("1.0".into()),
        settings: vec![Setting::Value { key: "slowdown".into(), value: "3%".into() }],
    };
    Plan {
        suite: "sysbench".into(),
        subjects: vec![subject("a"), subject("b")],
        tests: vec![TestInfo {
            name: "scan".into(),
            group: "range".into(),
            operation: "one scan".into(),
            statements: 1,
            writes: true,
            long: true,
            phase: Phase::Resize,
            also: vec!["today".into()],
            ..TestInfo::default()
        }],
        scale: Scale { name: "tiny".into(), rows: 1000, tables: 1, clients: 1, ..Scale::default() },
        mode: Mode::Interleaved,
        seed: u64::MAX,
        budget_seconds: 0.1 + 0.2,
        design: Design {
            screening_sessions: 3,
            confirmation_sessions: 11,
            seconds_per_test_session: 1.0 / 3.0,
            warmup_seconds: 0.15,
            first_warmup_seconds: 0.3,
            slice_ms_writes: 0.1 + 0.2,
            reload: true,
            timeout_seconds: 30.0,
            ..Design::default()
        },
        strict: false,
        suite_sha256: Some("ab".into()),
        compat: true,
        judging: Judging::default(),
        memory_bytes: None,
        fsync_delay_us: None,
        shard: None,
        imported: None,
        after_load: Vec::new(),
        builds: None,
    }
}

fn link() -> Link {
    Link {
        kind: LinkKind::Network,
        encryption: Some("TLS 1.3".into()),
        round_trip_ns_p50: 210_000,
        round_trips: 101,
    }
}

/// A run with one of everything but blocks.
pub fn results() -> Results {
    let facts = SubjectFacts {
        link: Some(link()),
        version: "fake 1.0".into(),
        origin: "built in".into(),
        build: vec!["virtual clock".into()],
        settings: vec![("a".into(), "1".into()), ("b".into(), "it's \"2\"".into())],
        given: vec![("z".into(), "1".into()), ("a".into(), "1".into())],
        fingerprint: "f".into(),
    };
    Results {
        tool: "humdrum 0.1.0".into(),
        started: "2026-01-01T00:00:00Z".into(),
        seconds: 12.345_678_9,
        host: HostFacts { cpus: 2, fsync_us_p50: Some(123.4), ..HostFacts::default() },
        aa_floor: Some(0.003_1),
        aa_excess: Some(0.000_2),
        metrics: vec![Metric {
            name: "server_cpu_ns".into(),
            unit: "ns".into(),
            better: Better::Less,
            kind: MetricKind::Counter,
            description: "CPU".into(),
        }],
        subjects: vec![facts, SubjectFacts::default()],
        loads: vec![LoadFacts { subject: 1, rows: 1000, checksum: "77".into(), bytes: 9, seconds: 0.1 }],
        calibrations: vec![Calibration {
            test: "scan".into(),
            operations: 5,
            guard_operations: 1,
            blocks: 30,
        }],
        sessions: vec![session(0)],
        latencies: vec![Latency {
            test: "scan".into(),
            session: 0,
            subject: 1,
            buckets: vec![(1000, 3), (u64::MAX, 1)],
        }],
        states: vec![state()],
        debts: vec![debt()],
        examinations: vec![examination()],
        query_plans: vec![query_plan()],
        plan_runs: plan_runs(),
        steps: vec![step()],
        host_readings: vec![host_reading()],
        run_rates: vec![run_rates()],
        events: vec![Event {
            subject: Some(1),
            test: None,
            session: Some(0),
            status: TestStatus::Failed,
            what: "closed".into(),
            log_tail: Some("last\nwords".into()),
        }],
        ..Results::of(plan())
    }
}

fn host_reading() -> HostReading {
    HostReading {
        test: "scan".into(),
        session: 0,
        integer_ns: 1.5,
        memory_ns: 91.25,
        call_ns: 4000.5,
        off: Some("memory walk".into()),
    }
}

fn run_rates() -> RunRates {
    let points = vec![RunRate { seconds: 1.0, rate: 4711.5 }, RunRate { seconds: 2.0, rate: 0.0 }];
    RunRates { test: "scan".into(), session: 0, subject: 1, points }
}

fn query_plan() -> QueryPlan {
    QueryPlan {
        test: "scan".into(),
        subject: 1,
        statement: "SELECT 'it''s'".into(),
        lines: vec!["Seq Scan".into(), "  Filter".into()],
    }
}

fn plan_runs() -> Vec<PlanRun> {
    let rows =
        [PlanRows::Told(vec!["Seq Scan  (rows=7) (actual rows=3)".into()]), PlanRows::NotTold("'".into())];
    let run = |rows| PlanRun { test: "scan".into(), subject: 1, statement: "SELECT 'it''s'".into(), rows };
    rows.map(run).into()
}

fn state() -> StateFacts {
    StateFacts {
        test: "scan".into(),
        session: 0,
        subject: 1,
        moment: Moment::Paid,
        contents: Some(Contents { rows: 1000, checksum: "77".into() }),
        quantities: vec![Quantity {
            name: "dead_rows".into(),
            unit: "rows".into(),
            description: "dead".into(),
            value: 0.1 + 0.2,
        }],
    }
}

fn examination() -> Examination {
    Examination {
        test: "scan".into(),
        round: 2,
        subject: 1,
        operations: 12,
        wall_ns: u64::MAX,
        counters: vec![CounterDelta { name: "a.b".into(), delta: 0.1 + 0.2 }],
        samples: 7,
        waits: vec![Wait { kind: WaitKind::Lock, event: "Lock relation".into(), samples: 7 }],
    }
}

fn debt() -> Debt {
    Debt {
        test: "scan".into(),
        session: 0,
        subject: 1,
        operations: 12,
        wall_ns: u64::MAX,
        readings: vec![-1],
    }
}

/// A session.
pub fn session(number: u32) -> SessionInfo {
    SessionInfo {
        number,
        stage: Stage::Screening,
        restarted: true,
        reloaded: false,
        tests: vec!["scan".into()],
        stretch: 1.0 / 3.0,
        unrecorded: vec!["scan".into()],
        subjects: Vec::new(),
    }
}

/// A block that differs from every other.
pub fn block(session: u32, index: u32) -> Block {
    let slice = |subject: usize| Slice {
        subject,
        start_ns: u64::from(index) * 1000 + subject as u64,
        wall_ns: 10_000_000,
        operations: 100,
        guard_operations: 10,
        rows: 10_000,
        client_cpu_ns: 3_000_000,
        readings: vec![-1, i64::from(index)],
        quarter_ns: (subject == 1).then_some([1, 2, u64::MAX]),
        idle_ns: (subject == 1).then_some(7),
        scripts: if subject == 1 { vec![[90, 9_000_000], [10, 1_000_000]] } else { Vec::new() },
        blamed: subject == 1,
    };
    Block { test: "scan".into(), session, index, slices: vec![slice(1), slice(0)], discarded: None }
}

prop_compose! {
    fn any_slice()(
        subject in 0_usize..9, start_ns: u64, wall_ns: u64, operations: u64, guard_operations: u64, rows: u64,
        client_cpu_ns: u64, readings: Vec<i64>, quarter_ns: Option<[u64; 3]>, idle_ns: Option<u64>, blamed: bool,
        scripts: Vec<[u64; 2]>,
    ) -> Slice {
        Slice {
            subject, start_ns, wall_ns, operations, guard_operations, rows, client_cpu_ns, readings, quarter_ns, idle_ns, blamed,
            scripts,
        }
    }
}

prop_compose! {
    /// Blocks with unique keys and any content.
    pub fn any_blocks()(
        contents in prop::collection::vec(
            (".{0,8}", 0_u32..3, prop::collection::vec(any_slice(), 0..4), prop::option::of(".{0,8}")), 0..12,
        )
    ) -> Vec<Block> {
        let number = |(index, (test, session, slices, discarded))| {
            Block { test, session, index: index as u32, slices, discarded }
        };
        contents.into_iter().enumerate().map(number).collect()
    }
}

fn step() -> StepFacts {
    let seconds = vec![Second { statements: 2, rows: 100, longest_ns: 9 }, Second::default()];
    let (service, response) = (vec![(7, 1), (9, 1)], vec![(9, 2)]);
    let name = "insert".to_owned();
    let insert =
        Stream { name, statements: 2, rows: 100, retries: 1, service_ns: 16, service, response, seconds };
    let (test, target) = ("qr100".to_owned(), Some(100.0));
    StepFacts { test, session: 1, subject: 1, wall_ns: 5, target, streams: vec![insert] }
}

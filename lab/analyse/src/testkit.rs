//! Simulated runs for tests: only the numbers of a `Results` that statistics use.

use std::path::PathBuf;

use humdrum_model::{
    Better, Block, Design, FNV1A, Judging, Metric, MetricKind, Mode, Place, Plan, Results, Scale,
    SessionInfo, Slice, Stage, Subject, SubjectFacts, TestInfo, fnv1a,
};

use crate::estimate::Estimate;
use crate::evidence::Evidence;
use crate::ratio::SessionValue;
use crate::sequential::Look;
use crate::totals::Part;

/// SplitMix64 (Steele, Lea & Flood 2014): small, seeded, good enough to pick indices.
struct Draws(u64);

impl Draws {
    /// Draws that depend on the run's seed and the test's name only.
    fn new(seed: u64, name: &str) -> Self {
        Self(fnv1a(seed ^ FNV1A, name.as_bytes()))
    }

    /// The next 64 bits.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// Seeded noise.
pub(crate) struct Rng(Draws);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(Draws::new(seed, "test"))
    }

    /// Uniform in (0, 1).
    pub fn uniform(&mut self) -> f64 {
        ((self.0.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Standard normal (Box–Muller).
    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Normal with one in twenty ten times as wide, scaled to about unit sd in its middle.
    pub fn heavy(&mut self) -> f64 {
        let wide = if self.uniform() < 0.05 { 10.0 } else { 1.0 };
        wide * self.normal()
    }
}

/// A run under construction.
pub(crate) struct Bench {
    pub results: Results,
    /// Noise of one block's ln ratio.
    pub block_noise: f64,
    rng: Rng,
}

impl Bench {
    pub fn new(tests: &[&str], subjects: usize, screening: u32, confirmation: u32) -> Self {
        let subject = |index: usize| Subject {
            label: ["base", "subject", "third"]
                .get(index)
                .map_or_else(|| index.to_string(), |name| (*name).into()),
            engine: "fake".into(),
            place: Place::Folder(PathBuf::from("/build")),
            settings: Vec::new(),
        };
        let plan = Plan {
            suite: "sysbench".into(),
            subjects: (0..subjects).map(subject).collect(),
            tests: tests.iter().map(|name| test(name)).collect(),
            scale: Scale { name: "tiny".into(), rows: 1, tables: 1, clients: 1, ..Scale::default() },
            mode: Mode::Interleaved,
            seed: 1,
            budget_seconds: 60.0,
            design: design(screening, confirmation),
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
        };
        Self { results: results(plan, subjects), block_noise: 0.0, rng: Rng::new(9) }
    }

    /// Other block noise from here on.
    pub fn reseed(&mut self, seed: u64) {
        self.rng = Rng::new(seed);
    }

    /// One session over the tests that `runs` picks; `effect` is the ln ratio of a (test, subject) in it.
    pub fn session(
        &mut self,
        stage: Stage,
        runs: impl Fn(&str) -> bool,
        blocks: u32,
        mut effect: impl FnMut(&str, usize) -> f64,
    ) {
        let number = self.results.sessions.len() as u32;
        self.results.sessions.push(SessionInfo {
            number,
            stage,
            restarted: true,
            reloaded: false,
            tests: Vec::new(),
            stretch: 1.0,
            unrecorded: Vec::new(),
            subjects: Vec::new(),
        });
        let subjects = self.results.plan.subjects.len();
        let names: Vec<String> = self.results.plan.tests.iter().map(|test| test.name.clone()).collect();
        for name in names.iter().filter(|name| runs(name)) {
            let effects: Vec<f64> = (1..subjects).map(|subject| effect(name, subject)).collect();
            for index in 0..blocks {
                let mut walls = vec![1e7];
                walls.extend(effects.iter().map(|effect| {
                    let noise =
                        if self.block_noise > 0.0 { self.block_noise * self.rng.heavy() } else { 0.0 };
                    1e7 * (noise - effect).exp()
                }));
                let walls: Vec<u64> = walls.into_iter().map(|wall| wall as u64).collect();
                self.results.blocks.push(block(name, number, index, &walls));
            }
        }
    }
}

/// Counters of these names.
pub(crate) fn counters(names: &[&str]) -> Vec<Metric> {
    let counter = |name: &&str| Metric {
        name: (*name).into(),
        unit: "x".into(),
        better: Better::Less,
        kind: MetricKind::Counter,
        description: String::new(),
    };
    names.iter().map(counter).collect()
}

/// One block in which every subject made 100 calls in the given time.
pub(crate) fn block(test: &str, session: u32, index: u32, walls: &[u64]) -> Block {
    let slice = |(subject, &wall_ns): (usize, &u64)| Slice {
        subject,
        start_ns: (u64::from(session) * 1000 + u64::from(index)) * 100_000_000,
        wall_ns,
        operations: 100,
        guard_operations: 10,
        rows: 100,
        client_cpu_ns: 1_100_000,
        readings: Vec::new(),
        quarter_ns: None,
        idle_ns: None,
        scripts: Vec::new(),
        blamed: false,
    };
    let slices = walls.iter().enumerate().map(slice).collect();
    Block { test: test.into(), session, index, slices, discarded: None }
}

pub(crate) fn design(screening_sessions: u32, confirmation_sessions: u32) -> Design {
    Design { screening_sessions, confirmation_sessions, ..Design::default() }
}

/// A session in which the subject was faster by `value` (ln).
pub(crate) fn session_value(number: u32, stage: Stage, value: f64) -> SessionValue {
    let part = |weight, divisor| Part { weight, amount: 1.0, divisor };
    SessionValue {
        number,
        stage,
        parts: vec![part(-1.0, 1.0), part(1.0, (-value).exp())],
        value,
        typical: value,
        standard_error: 0.001,
        pairs: 1,
        blocks: 2,
    }
}

/// An estimate with a given interval.
pub(crate) fn estimate(mean: f64, half: f64, sessions: u32, capped: bool) -> Estimate {
    let evidence = Evidence {
        sessions: (0..sessions).map(|number| session_value(number, Stage::Confirmation, mean)).collect(),
        look: Look::after(sessions, sessions, true),
        share: 1.0,
        screened: false,
        pooled: false,
    };
    let sd = Some(half * f64::from(sessions).sqrt() / 2.3);
    let freedom = f64::from(sessions) - 1.0;
    Estimate {
        mean,
        sd,
        half,
        half_family: half * 1.5,
        freedom,
        p: Some(0.01),
        capped,
        settled: capped,
        evidence,
    }
}

fn test(name: &str) -> TestInfo {
    TestInfo {
        name: name.into(),
        group: "point".into(),
        operation: "one call".into(),
        statements: 1,
        ..TestInfo::default()
    }
}

fn results(plan: Plan, subjects: usize) -> Results {
    Results {
        tool: "humdrum test".into(),
        started: "2026-01-01T00:00:00Z".into(),
        seconds: 60.0,
        subjects: (0..subjects)
            .map(|index| SubjectFacts { fingerprint: index.to_string(), ..SubjectFacts::default() })
            .collect(),
        finished: true,
        ..Results::of(plan)
    }
}

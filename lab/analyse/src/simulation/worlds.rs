//! Simulated hosts: the scatter of sessions, and the true changes.

use crate::decide::Correction;
use crate::testkit::Rng;

/// Tests of a run.
pub(super) const TESTS: usize = 22;

/// Slices of each side in a session.
const SLICES: usize = 600;

/// The distribution of a session's deviation; sd 1 unless stated otherwise.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Shape {
    Normal,
    /// One in twenty ten times as wide.
    Wild,
    /// Exponential less its mean: a subject is sometimes slow, never fast (skewness 2).
    Skewed,
    /// Normal; in addition, this share of both sides' slices takes this many times as long.
    Stalled(f64, f64),
}

/// A made-up host and design.
#[derive(Clone, Copy)]
pub(super) struct World {
    pub name: &'static str,
    pub shape: Shape,
    pub session_sd: f64,
    /// Sd of each test, where they differ.
    pub sds: Option<&'static [f64]>,
    /// Correlation of a test's sessions with the next.
    pub serial: f64,
    /// Correlation of the tests of a session.
    pub common: f64,
    pub sessions: u32,
    /// Sessions after which the budget is spent, whatever was planned.
    pub budget: u32,
    pub delta: f64,
    /// Change of the first tests, as a fraction.
    pub effect: f64,
    /// How many these are.
    pub changed: usize,
    /// Change of all others.
    pub others: f64,
    pub correction: Correction,
}

/// The default budget: 24 sessions at most; sd 0.3 %.
pub(super) const QUIET: World = World {
    name: "sd 0.3 %",
    shape: Shape::Normal,
    session_sd: 0.003,
    sds: None,
    serial: 0.0,
    common: 0.0,
    sessions: 24,
    budget: u32::MAX,
    delta: 0.01,
    effect: 0.0,
    changed: 4,
    others: 0.0,
    correction: Correction::Report,
};

impl World {
    /// ln ratio of a test.
    pub(super) fn truth(&self, test: usize) -> f64 {
        if test < self.changed { self.effect.ln_1p() } else { self.others.ln_1p() }
    }
}

/// The deviations of sessions, one after another.
pub(super) struct Luck<'a> {
    world: &'a World,
    last: Option<[f64; TESTS]>,
}

impl<'a> Luck<'a> {
    pub(super) fn new(world: &'a World) -> Self {
        Self { world, last: None }
    }

    /// What a session adds to each test's ln ratio.
    pub(super) fn session(&mut self, rng: &mut Rng) -> [f64; TESTS] {
        let World { serial, common, .. } = *self.world;
        let all = rng.normal();
        let mut luck = [0.0; TESTS];
        for (test, luck) in luck.iter_mut().enumerate() {
            let fresh = common.sqrt() * all + (1.0 - common).sqrt() * self.draw(rng);
            *luck = match self.last {
                Some(last) => serial * last[test] + (1.0 - serial * serial).sqrt() * fresh,
                None => fresh,
            };
        }
        self.last = Some(luck);
        let sd = |test: usize| self.world.sds.map_or(self.world.session_sd, |sds| sds[test]);
        std::array::from_fn(|test| sd(test) * luck[test] + self.stalls(rng))
    }

    fn draw(&self, rng: &mut Rng) -> f64 {
        match self.world.shape {
            Shape::Normal | Shape::Stalled(..) => rng.normal(),
            Shape::Wild => rng.heavy(),
            Shape::Skewed => 1.0 + rng.uniform().ln(),
        }
    }

    /// ln of the base's time over the subject's.
    fn stalls(&self, rng: &mut Rng) -> f64 {
        let Shape::Stalled(share, factor) = self.world.shape else { return 0.0 };
        let mut side = || {
            let slow = (0..SLICES).filter(|_| rng.uniform() < share).count() as f64;
            (SLICES as f64 + (factor - 1.0) * slow).ln()
        };
        side() - side()
    }
}

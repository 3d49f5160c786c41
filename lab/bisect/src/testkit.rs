//! Made-up histories for tests: levels that are known, and noise of a known spread.

use crate::round::{Kind, Round, Session};

/// The true level of every position.
pub(crate) struct World {
    pub levels: Vec<f64>,
}

impl World {
    /// One step of `size` at `first_bad`.
    pub fn step(until: usize, first_bad: usize, size: f64) -> Self {
        Self::stairs(until, &[(first_bad, size)])
    }

    /// Several.
    pub fn stairs(until: usize, steps: &[(usize, f64)]) -> Self {
        let level =
            |position: usize| steps.iter().filter(|(at, _)| position >= *at).map(|(_, size)| *size).sum();
        Self { levels: (0..=until).map(level).collect() }
    }

    /// Eight sessions of these positions; `sd` is that of a ratio.
    pub fn round(&self, kind: Kind, positions: &[usize], sd: f64, draws: &mut Draws) -> Round {
        let mut session = || -> Session {
            let level = |position: &usize| {
                (*position, self.levels[*position] + sd * draws.normal() / std::f64::consts::SQRT_2)
            };
            positions.iter().map(level).collect()
        };
        Round { kind, sessions: (0..8).map(|_| session()).collect() }
    }
}

/// A round of both ends, and one of each position with both ends.
pub(crate) fn rounds_at(world: &World, sd: f64, positions: &[usize], seed: u64) -> Vec<Round> {
    let (mut draws, until) = (Draws(seed), world.levels.len() - 1);
    let mut rounds = vec![world.round(Kind::Ends, &[0, until], sd, &mut draws)];
    for position in positions {
        rounds.push(world.round(Kind::Candidate, &[0, *position, until], sd, &mut draws));
    }
    rounds
}

/// SplitMix64 (Steele, Lea & Flood 2014), as normal draws.
pub(crate) struct Draws(pub u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

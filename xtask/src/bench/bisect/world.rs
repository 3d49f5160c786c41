//! A made-up history of commits, and servers built from it.

use humdrum_bisect::{Kind as Purpose, Session};

/// Sessions of a round, the fewest that a run plans.
pub const SESSIONS: usize = 8;
/// Part of the commits that do not build, where there are such.
const BROKEN_SHARE: f64 = 0.1;
/// Sd of a ratio that all sessions of one round share, where there is drift.
const DRIFT_SD: f64 = 0.003;
/// What lies between a change and its repair, in units of the ends' difference, where that is small beside it.
const DIP: f64 = 10.0;
/// Sd of a ratio of two builds of equal code, where builds have luck.
const BUILD_SD: f64 = 0.005;

/// What a history holds beside one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Plain,
    Broken,
    Second,
    Repaired,
    Drift,
    Luck,
    Dip,
}

/// All kinds, the plain one first.
pub const KINDS: [Kind; 7] =
    [Kind::Plain, Kind::Broken, Kind::Second, Kind::Repaired, Kind::Dip, Kind::Drift, Kind::Luck];

impl Kind {
    /// For the heading of its table.
    pub fn told(self) -> &'static str {
        match self {
            Self::Plain => "One step",
            Self::Broken => "One step; 10 % of the commits do not build",
            Self::Second => "A second step of half the size, in the same direction",
            Self::Repaired => "A step of which half is repaired at another commit",
            Self::Dip => "A loss of ten times the step, repaired at a later commit with the step",
            Self::Drift => "One step; 0.3 % (sd) of each ratio are the luck of the round",
            Self::Luck => "One step; 0.5 % (sd) of each ratio are the luck of the two builds",
        }
    }
}

/// A history and its draws.
pub struct World {
    /// Level of every position, 0 to the number of commits.
    levels: Vec<f64>,
    /// Level of the build of every position: with its luck.
    built: Vec<f64>,
    /// Positions that change the level.
    pub steps: Vec<usize>,
    broken: Vec<bool>,
    sd: f64,
    drift: f64,
    /// Sd of the luck of one build.
    luck: f64,
    draws: Draws,
    /// Draws of the luck of links that confirmations have. They are apart, so that worlds without luck have all others as before.
    links: Draws,
}

impl World {
    /// A history with its steps at random places; `sd` is that of a ratio in one session.
    pub fn new(kind: Kind, commits: usize, step: f64, sd: f64, seed: u64) -> Self {
        // Every cell of a table has draws of its own.
        let cell = [commits as u64, step.to_bits(), sd.to_bits(), kind as u64];
        let seed = cell.iter().fold(seed, |seed, part| Draws(seed ^ part.rotate_left(17)).next());
        let mut draws = Draws(seed);
        let first = draws.below(commits) + 1;
        // Another place than the first.
        let second = (first + draws.below(commits - 1)) % commits + 1;
        let (first, second) =
            if kind == Kind::Dip { (first.min(second), first.max(second)) } else { (first, second) };
        let [first_size, second_size] = match kind {
            Kind::Second => [step, 0.5 * step],
            Kind::Repaired => [step, -0.5 * step],
            Kind::Dip => [-DIP * step, (DIP + 1.0) * step],
            _ => [step, 0.0],
        };
        let luck = if kind == Kind::Luck { BUILD_SD / std::f64::consts::SQRT_2 } else { 0.0 };
        let level = |position: usize| {
            first_size * f64::from(u8::from(position >= first))
                + second_size * f64::from(u8::from(position >= second))
        };
        let share = if kind == Kind::Broken { BROKEN_SHARE } else { 0.0 };
        let levels: Vec<f64> = (0..=commits).map(level).collect();
        let built = levels.iter().map(|level| luck * draws.normal() + level).collect();
        let mut broken: Vec<bool> = (0..=commits).map(|_| draws.uniform() < share).collect();
        (broken[0], broken[commits]) = (false, false);
        Self {
            levels,
            built,
            steps: if second_size == 0.0 { vec![first] } else { vec![first, second] },
            broken,
            sd,
            drift: if kind == Kind::Drift { DRIFT_SD } else { 0.0 },
            luck,
            draws,
            links: Draws(!seed),
        }
    }

    /// Positions, the good end included.
    pub fn positions(&self) -> usize {
        self.levels.len()
    }

    /// Whether a position builds.
    pub fn builds(&self, position: usize) -> bool {
        !self.broken[position]
    }

    /// Sessions of these positions side by side.
    pub fn measure(&mut self, purpose: Purpose, positions: &[usize], sessions: usize) -> Vec<Session> {
        let mut level = |position: &usize| self.level(purpose, *position) + self.noise(self.drift);
        let levels: Vec<f64> = positions.iter().map(&mut level).collect();
        (0..sessions).map(|_| self.session(positions, &levels)).collect()
    }

    /// The level of the build that a round measures: a confirmation links anew, with other luck.
    fn level(&mut self, purpose: Purpose, position: usize) -> f64 {
        match purpose {
            Purpose::Confirm => self.levels[position] + self.luck * self.links.normal(),
            _ => self.built[position],
        }
    }

    fn session(&mut self, positions: &[usize], levels: &[f64]) -> Session {
        let mut noisy = |(position, level): (&usize, &f64)| (*position, level + self.noise(self.sd));
        positions.iter().zip(levels).map(&mut noisy).collect()
    }

    /// Noise of one level, of which two make a ratio with this sd.
    fn noise(&mut self, sd: f64) -> f64 {
        sd * self.draws.normal() / std::f64::consts::SQRT_2
    }
}

/// SplitMix64 (Steele, Lea & Flood 2014).
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn below(&mut self, count: usize) -> usize {
        (self.uniform() * count as f64) as usize
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

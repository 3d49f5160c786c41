//! How much of the error rate each look may spend, so that frequent looks give no more false alarms.
//!
//! After every session the run asks whether a test is decided. Each look could err. A spending function (Lan
//! & DeMets 1983) of the O'Brien–Fleming kind limits the total. It spends very little early and nearly all at
//! the planned end, so a test that runs to its end loses little power. Intervals made from the same
//! boundaries are repeated confidence intervals (Jennison & Turnbull 1989): all of them, over all looks,
//! cover the truth together with the stated probability, so stopping may depend on them in any way.
//!
//! Boundaries are found for the normal case by recursive integration (Armitage, McPherson & Rowe 1969) over the
//! sum S of n sessions:
//!
//! ```text
//! f_2(s) = φ(s; 0, 2)                       first look, two sessions
//! f_j(s) = ∫ f_{j-1}(u) φ(s - u; 0, 1) du   over |u| < b_{j-1}: paths that have not crossed yet
//! find b_j with P(|S_j| > b_j, not crossed before) = spend(j) - spend(j-1)
//! ```
//!
//! With few sessions the statistic is Student's t, not normal. Each boundary is therefore turned into its
//! nominal two-sided level 2(1 - Φ(b_j/√j)) and that level is applied to t with its own degrees of freedom
//! (the significance-level approach, Jennison & Turnbull 2000, 4.4). This is an approximation, checked by the
//! simulation in `simulation.rs`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::dist::{normal_critical, normal_tail};

/// Sessions at the first of several looks: fewer have no spread.
const FIRST_LOOK: u32 = 2;
/// Intervals of Simpson's rule over one half of the (symmetric) density.
const CELLS: usize = 80;
/// Total levels at which nominal levels are tabulated; between them, log-log interpolation.
const LEVELS: [f64; 20] = [
    1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1, 0.2, 0.4,
    0.7, 0.999,
];

/// One look: the sessions so far, the sessions planned, and whether it is the last look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Look {
    /// Sessions at the first look of the row.
    pub first: u32,
    /// Sessions seen.
    pub sessions: u32,
    /// Sessions planned.
    pub planned: u32,
    /// No session follows, for any data: all the error that is left may be spent.
    pub last: bool,
}

impl Look {
    /// The only look at some evidence.
    pub fn only(sessions: u32) -> Self {
        Self { first: sessions, sessions, planned: sessions, last: true }
    }

    /// One of the looks after every session from the second on.
    pub fn after(sessions: u32, planned: u32, last: bool) -> Self {
        Self { first: FIRST_LOOK, sessions, planned, last }
    }

    /// Two-sided level to use at this look so that all looks together err with probability `level`.
    pub fn nominal(self, level: f64) -> f64 {
        if self.single() {
            return level;
        }
        let table = table(self);
        interpolate(table.iter().copied(), level)
    }

    /// The smallest total level at which a marginal p would have crossed at this look. It is a p that stays
    /// valid after earlier looks. Never below 1e-10.
    pub fn repeated_p(self, marginal: f64) -> f64 {
        if self.single() {
            return marginal.clamp(LEVELS[0], 1.0);
        }
        let table = table(self);
        if marginal >= table[table.len() - 1].1 {
            return 1.0;
        }
        interpolate(table.iter().map(|&(level, nominal)| (nominal, level)), marginal).clamp(LEVELS[0], 1.0)
    }

    /// Nothing was spent before and everything may be spent now.
    fn single(self) -> bool {
        self.sessions <= self.first && (self.last || self.sessions >= self.planned)
    }
}

/// (total level, nominal level at the look), ascending.
type Table = Arc<Vec<(f64, f64)>>;

/// What has been computed in this process: the same every time.
#[derive(Default)]
struct Computed {
    tables: HashMap<Look, Table>,
    /// By first look and planned sessions: one path for each of [`LEVELS`].
    paths: HashMap<(u32, u32), Vec<Path>>,
}

fn table(look: Look) -> Table {
    static COMPUTED: Mutex<Option<Computed>> = Mutex::new(None);
    let mut guard = COMPUTED.lock().unwrap_or_else(PoisonError::into_inner);
    let Computed { tables, paths } = guard.get_or_insert_default();
    let made = tables.entry(look).or_insert_with(|| {
        let first = look.first.min(look.sessions);
        let paths = paths.entry((first, look.planned)).or_insert_with(|| {
            LEVELS
                .iter()
                .map(|&level| Path { level, first, planned: look.planned, looks: Vec::new() })
                .collect()
        });
        Arc::new(paths.iter_mut().map(|path| (path.level, path.nominal(look))).collect())
    });
    Arc::clone(made)
}

/// Straight line through the two nearest points in log-log; the nearest end's slope outside, at most 1.
fn interpolate(points: impl Iterator<Item = (f64, f64)>, at: f64) -> f64 {
    let points: Vec<(f64, f64)> = points.map(|(x, y)| (x.max(1e-300).ln(), y.max(1e-300).ln())).collect();
    let x = at.max(1e-300).ln();
    let upper = points.iter().position(|point| point.0 >= x).unwrap_or(points.len() - 1).max(1);
    let ((x0, y0), (x1, y1)) = (points[upper - 1], points[upper]);
    let slope = if x1 > x0 { (y1 - y0) / (x1 - x0) } else { 0.0 };
    (y0 + slope * (x - x0)).exp().min(1.0)
}

/// Error spent up to `fraction` of the planned sessions.
fn spent(level: f64, fraction: f64) -> f64 {
    if fraction >= 1.0 {
        return level;
    }
    2.0 * normal_tail(normal_critical(0.5 * level) / fraction.sqrt())
}

/// The boundaries of one total level, found look by look. A later look goes on from an earlier one: begun anew each time,
/// they would take half a minute in a run of a hundred sessions.
struct Path {
    level: f64,
    first: u32,
    planned: u32,
    /// From the first look on: the boundary, and the density of what has not crossed it.
    looks: Vec<(f64, Density)>,
}

impl Path {
    /// Two-sided level to use at a look.
    fn nominal(&mut self, look: Look) -> f64 {
        let n = look.sessions;
        let bound = match (look.last, n > self.first) {
            (true, false) => self.first_bound(self.level),
            (true, true) => {
                let increment = self.level - self.spent_by(n - 1);
                self.at(n - 1).1.bound_for(increment, f64::from(n))
            }
            (false, _) => self.at(n).0,
        };
        2.0 * normal_tail(bound / f64::from(n).sqrt())
    }

    fn spent_by(&self, sessions: u32) -> f64 {
        spent(self.level, f64::from(sessions) / f64::from(self.planned))
    }

    fn first_bound(&self, spent: f64) -> f64 {
        f64::from(self.first).sqrt() * normal_critical(0.5 * spent)
    }

    /// The look after `sessions` that is not the last.
    fn at(&mut self, sessions: u32) -> &(f64, Density) {
        let index = (sessions - self.first) as usize;
        while self.looks.len() <= index {
            let number = self.first + self.looks.len() as u32;
            let n = f64::from(number);
            let next = match self.looks.last() {
                None => {
                    let bound = self.first_bound(self.spent_by(number));
                    (bound, Density::start(n, bound))
                }
                Some((_, density)) => {
                    let increment = self.spent_by(number) - self.spent_by(number - 1);
                    let bound = density.bound_for(increment, n);
                    (bound, density.step(bound, n))
                }
            };
            self.looks.push(next);
        }
        &self.looks[index]
    }
}

/// Density of the sum over paths that have not crossed, at the nodes of Simpson's rule on [0, reach].
struct Density {
    nodes: Vec<(f64, f64, f64)>,
}

impl Density {
    /// Normal with variance `sessions`, cut at `bound`.
    fn start(sessions: f64, bound: f64) -> Self {
        Self::build(bound, sessions, |s| gauss(s, sessions))
    }

    /// One session later, cut at `bound`.
    fn step(&self, bound: f64, sessions: f64) -> Self {
        let at = |s: f64| self.integrate(|u| gauss(s - u, 1.0) + gauss(s + u, 1.0));
        Self::build(bound, sessions, at)
    }

    /// The bound that a path first crosses after `sessions` with probability `increment`, either side.
    fn bound_for(&self, increment: f64, sessions: f64) -> f64 {
        let crossing = |bound: f64| 2.0 * self.integrate(|u| normal_tail(bound - u) + normal_tail(bound + u));
        let (mut low, mut high) = (0.0, 38.0 * sessions.sqrt());
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if crossing(middle) > increment { low = middle } else { high = middle }
        }
        high
    }

    /// Nodes as (place, Simpson weight, density). Beyond 9 sd nothing is left to integrate.
    fn build(bound: f64, sessions: f64, density: impl Fn(f64) -> f64) -> Self {
        let width = bound.min(9.0 * sessions.sqrt()) / CELLS as f64;
        let weight = |i: usize| if i == 0 || i == CELLS { 1.0 } else { (2 + 2 * (i % 2)) as f64 };
        let node = |i: usize| (i as f64 * width, weight(i) * width / 3.0, density(i as f64 * width));
        Self { nodes: (0..=CELLS).map(node).collect() }
    }

    /// ∫ density · kernel over [0, reach]; the caller folds the negative half in.
    fn integrate(&self, kernel: impl Fn(f64) -> f64) -> f64 {
        self.nodes.iter().map(|&(place, weight, density)| weight * density * kernel(place)).sum()
    }
}

fn gauss(x: f64, variance: f64) -> f64 {
    (-0.5 * x * x / variance).exp() / (2.0 * std::f64::consts::PI * variance).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::Rng;

    #[test]
    fn last_of_many_looks_is_a_little_stricter_than_a_single_one() {
        let look = Look::after(9, 9, true);
        let nominal = look.nominal(0.05);
        assert!((0.03..0.05).contains(&nominal), "{nominal}");
        assert_eq!(Look::only(2).nominal(0.05), 0.05);
    }

    #[test]
    fn early_looks_spend_almost_nothing_and_later_ones_more() {
        let levels: Vec<f64> = (2..=9).map(|n| Look::after(n, 9, n == 9).nominal(0.05)).collect();
        assert!(levels[0] < 1e-4);
        assert!(levels.windows(2).all(|pair| pair[0] < pair[1]), "{levels:?}");
    }

    #[test]
    fn repeated_p_inverts_the_boundary() {
        let look = Look::after(6, 9, false);
        for level in [0.2, 0.05, 0.01, 0.001] {
            let back = look.repeated_p(look.nominal(level));
            assert!((back / level - 1.0).abs() < 1e-6, "{level} {back}");
        }
        assert_eq!(look.repeated_p(1.0), 1.0);
        assert!(look.repeated_p(0.0) <= 1e-9);
    }

    #[test]
    fn a_look_says_the_same_whatever_was_asked_before() {
        let fresh = || Path { level: 0.05, first: 2, planned: 31, looks: Vec::new() };
        let mut asked = fresh();
        for n in [31, 5, 20, 2, 30] {
            for last in [true, false] {
                let look = Look::after(n, 31, last);
                assert_eq!(asked.nominal(look), fresh().nominal(look), "{look:?}");
            }
        }
        assert_eq!(asked.nominal(Look::after(31, 31, true)), asked.nominal(Look::after(31, 31, false)));
    }

    #[test]
    fn random_walks_cross_as_often_as_they_may() {
        let bounds: Vec<(f64, f64)> = (2..=8u32)
            .map(|n| (f64::from(n), Look::after(n, 8, n == 8).nominal(0.05)))
            .map(|(n, nominal)| (n, normal_critical(0.5 * nominal) * n.sqrt()))
            .collect();
        let mut rng = Rng::new(7);
        let crossed = (0..20_000).filter(|_| {
            let mut sum = rng.normal();
            bounds.iter().any(|&(_, bound)| {
                sum += rng.normal();
                sum.abs() > bound
            })
        });
        let rate = crossed.count() as f64 / 20_000.0;
        assert!((rate - 0.05).abs() < 0.006, "{rate}");
    }
}

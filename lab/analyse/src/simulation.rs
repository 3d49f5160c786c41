//! Simulates whole runs with known truth and measures the error rates of the procedure. As in the scheduler,
//! each test that is not settled gets another session; then the verdicts follow.
//!
//! Only a session's totals matter above the block level, so runs are simulated by totals and not by blocks.
//! The first test checks that `undecided` and `summarise` give the same results for blocks with such totals.
//! Small versions run with every `cargo test`; the large one prints the table in `docs/statistics.md`:
//!
//! ```text
//! cargo test -p humdrum-analyse --lib -- --ignored --nocapture simulated_table
//! ```

mod table;
mod worlds;

use humdrum_model::{Design, Stage, Verdict};

use crate::band::Band;
use crate::decide::{Correction, judge};
use crate::estimate::{Estimate, Rules};
use crate::measure::estimate;
use crate::ratio::SessionValue;
use crate::testkit::{Bench, Rng, design, session_value};
use crate::{summarise, undecided};

use worlds::{QUIET, TESTS, World};

/// One test at the end of a run.
struct Ended {
    truth: f64,
    found: Estimate,
    verdict: Verdict,
}

fn plan(world: &World) -> Design {
    Design { delta: world.delta, ..design(0, world.sessions) }
}

/// Measures all tests of a run and judges them.
fn run(world: &World, rng: &mut Rng) -> Vec<Ended> {
    let design = plan(world);
    let band = Band::new(&design, false, None);
    let rules = Rules { design: &design, family: TESTS, finished: false };
    let mut tests: Vec<Vec<SessionValue>> = vec![Vec::new(); TESTS];
    let mut settled = [false; TESTS];
    let mut luck = worlds::Luck::new(world);
    for number in 0..world.budget.min(world.sessions) {
        let drawn = luck.session(rng);
        for test in (0..TESTS).filter(|test| !settled[*test]).collect::<Vec<_>>() {
            let value = world.truth(test) + drawn[test];
            tests[test].push(session_value(number, Stage::Confirmation, value));
            settled[test] = estimate(&tests[test], &band, &rules).is_some_and(|found| found.settled);
        }
    }
    judged(world, &tests, &band, &Rules { finished: true, ..rules })
}

fn judged(world: &World, tests: &[Vec<SessionValue>], band: &Band, rules: &Rules<'_>) -> Vec<Ended> {
    let found: Vec<Estimate> = tests.iter().filter_map(|values| estimate(values, band, rules)).collect();
    let p: Vec<f64> = found.iter().map(|found| found.p.unwrap_or(1.0)).collect();
    let adjusted = world.correction.adjust(&p);
    let ended = |(test, (found, p)): (usize, (Estimate, f64))| {
        let verdict = judge(&found, Some(p), rules.design.alpha, band);
        Ended { truth: world.truth(test), found, verdict }
    };
    found.into_iter().zip(adjusted).enumerate().map(ended).collect()
}

/// The verdicts of many runs.
#[derive(Default)]
struct Tally {
    runs: usize,
    /// Tests whose change is at most δ, and those of them that were called different.
    equal: usize,
    false_alarms: usize,
    runs_with_false_alarm: usize,
    /// Tests whose change is less than δ, and those of them that were called boring.
    inside: usize,
    boring: usize,
    /// Tests whose change is δ or more, and those of them that were called boring.
    outside: usize,
    false_boring: usize,
    /// Tests whose change is more than δ, and those of them that got that verdict.
    changed: usize,
    found: usize,
    covered: usize,
    half_widths: Vec<f64>,
    sessions: usize,
}

fn simulate(world: &World, runs: usize, seed: u64) -> Tally {
    let mut rng = Rng::new(seed);
    let mut tally = Tally::default();
    (0..runs).for_each(|_| tally.count(world, &run(world, &mut rng)));
    tally
}

impl Tally {
    fn count(&mut self, world: &World, ended: &[Ended]) {
        let mut alarm = false;
        for Ended { truth, found, verdict } in ended {
            let size = truth.exp_m1().abs() - world.delta;
            let different = matches!(verdict, Verdict::Regression | Verdict::Improvement);
            let right = if *truth < 0.0 { Verdict::Regression } else { Verdict::Improvement };
            let boring = *verdict == Verdict::Boring;
            let add = |sum: &mut usize, holds: bool| *sum += usize::from(holds);
            let (equal, inside, changed) = (size <= 1e-9, size < -1e-9, size > 1e-9);
            add(&mut self.equal, equal);
            add(&mut self.false_alarms, equal && different);
            add(&mut self.inside, inside);
            add(&mut self.boring, inside && boring);
            add(&mut self.outside, !inside);
            add(&mut self.false_boring, !inside && boring);
            add(&mut self.changed, changed);
            add(&mut self.found, changed && *verdict == right);
            add(&mut self.covered, (found.mean - truth).abs() <= found.half);
            self.half_widths.push(found.half);
            self.sessions += found.evidence.sessions.len();
            alarm |= equal && different || changed && different && *verdict != right;
        }
        self.runs += 1;
        self.runs_with_false_alarm += usize::from(alarm);
    }

    fn coverage(&self) -> f64 {
        self.covered as f64 / self.half_widths.len() as f64
    }

    fn family_error(&self) -> f64 {
        self.runs_with_false_alarm as f64 / self.runs as f64
    }

    fn power(&self) -> f64 {
        self.found as f64 / self.changed.max(1) as f64
    }

    fn boring(&self) -> f64 {
        self.boring as f64 / self.inside.max(1) as f64
    }
}

#[test]
fn sessions_of_blocks_are_judged_as_sessions_of_totals_are() {
    let world = World { effect: -0.02, session_sd: 0.006, sessions: 10, ..QUIET };
    let names: Vec<String> = (0..TESTS).map(|number| format!("t{number:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut bench = Bench::new(&names, 2, 0, world.sessions);
    let mut rng = Rng::new(5);
    let mut luck = worlds::Luck::new(&world);
    for _ in 0..world.sessions {
        let open = undecided(&bench.results);
        let drawn = luck.session(&mut rng);
        let number = |test: &str| names.iter().position(|name| *name == test).expect("a test");
        let effect = |test: &str, _: usize| world.truth(number(test)) + drawn[number(test)];
        bench.session(Stage::Confirmation, |test| open.contains(test), 2, effect);
    }
    let summary = summarise(&bench.results);
    for (ended, test) in run(&world, &mut Rng::new(5)).iter().zip(&summary.comparisons[0].tests) {
        assert_eq!(
            (Some(ended.verdict), ended.found.evidence.sessions.len() as u32),
            (test.verdict, test.sessions)
        );
        assert!((ended.found.mean.exp() - test.rqps.expect("a ratio")).abs() < 1e-6);
    }
}

#[test]
fn equal_servers_stay_quiet_although_one_looks_after_every_session() {
    let tally = simulate(&World { delta: 0.0, ..QUIET }, 200, 1);
    // Nominal 5 %; three standard errors of 200 runs above it is 9.6 %.
    assert!(tally.family_error() <= 0.095, "family error {}", tally.family_error());
    assert!(tally.coverage() >= 0.93, "coverage {}", tally.coverage());
}

/// Finding 6: of tests that have lost just δ none is to be called a regression, and of runs of 22 such tests one in twenty.
#[test]
fn losses_of_just_delta_are_no_regressions() {
    let tally = simulate(&World { effect: -0.01, others: -0.01, ..QUIET }, 200, 4);
    assert!(tally.family_error() <= 0.095, "family error {}", tally.family_error());
    assert!(tally.false_boring <= tally.outside / 30, "boring {}", tally.false_boring);
}

#[test]
fn a_loss_of_three_percent_is_found_and_equality_is_shown() {
    let tally = simulate(&World { effect: -0.03, ..QUIET }, 60, 2);
    assert!(tally.power() >= 0.97, "power {}", tally.power());
    assert!(tally.boring() >= 0.97, "boring {}", tally.boring());
    assert!(tally.coverage() >= 0.93, "coverage {}", tally.coverage());
    assert_eq!(tally.false_alarms, 0);
}

#[test]
fn a_gate_keeps_its_level_whatever_else_has_changed() {
    let mixed = World { effect: -0.05, others: -0.01, correction: Correction::Gate, ..QUIET };
    assert!(simulate(&mixed, 200, 6).family_error() <= 0.095);
}

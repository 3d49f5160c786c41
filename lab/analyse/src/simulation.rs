//! Does the whole procedure keep its promises? Made-up runs with known truth, measured the way the scheduler
//! does it: sessions for whatever `undecided` names, then `summarise`.
//!
//! The small version runs with every `cargo test`; the large one prints the table in `docs/statistics.md`:
//!
//! ```text
//! cargo test -p humdrum-analyse --lib -- --ignored --nocapture simulated_table
//! ```

use std::collections::HashMap;

use humdrum_model::{Stage, Verdict};

use crate::testkit::{Bench, Rng};
use crate::{summarise, undecided};

const TESTS: usize = 22;

/// A made-up host and design.
#[derive(Clone, Copy)]
struct World {
    name: &'static str,
    session_sd: f64,
    block_sd: f64,
    blocks: u32,
    screening: u32,
    confirmation: u32,
    delta: f64,
    /// Sessions after which the budget is spent, whatever was planned.
    budget: u32,
    /// ln ratio of the first four tests.
    effect: f64,
    /// ln ratio of all others: of no size that matters, or of just that size.
    others: f64,
    /// Whether one session in twenty scatters ten times as widely.
    wild: bool,
    /// Correlation of a test's sessions with the next.
    serial: f64,
}

/// Sd of a session's luck 0.3 %; blocks 5 %, one in twenty ten times as wide.
const QUIET: World = World {
    name: "session sd 0.3 %, δ 1 %",
    session_sd: 0.003,
    block_sd: 0.05,
    blocks: 600,
    screening: 0,
    confirmation: 18,
    delta: 0.01,
    budget: u32::MAX,
    effect: 0.0,
    others: 0.0,
    wild: false,
    serial: 0.0,
};

/// What came of many runs.
#[derive(Default)]
struct Tally {
    runs: usize,
    equal: usize,
    changed: usize,
    runs_with_false_alarm: usize,
    false_alarms: usize,
    found: usize,
    wrong_side: usize,
    boring: usize,
    covered: usize,
    half_widths: Vec<f64>,
    sessions: u64,
}

/// A session's value is all that matters above the block level, so a long session of noisy blocks is stood in for
/// by 20 blocks with the noise that leaves the same standard error (the first test below checks that).
fn simulate(world: World, runs: usize, seed: u64) -> Tally {
    let mut tally = Tally { runs, ..Tally::default() };
    let names: Vec<String> = (0..TESTS).map(|number| format!("t{number:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut rng = Rng::new(seed);
    let blocks = world.blocks.min(20);
    for _ in 0..runs {
        let mut bench = Bench::new(&names, 2, world.screening, world.confirmation);
        bench.reseed(rng.bits());
        bench.results.plan.design.delta = world.delta;
        bench.block_noise = world.block_sd * (f64::from(blocks) / f64::from(world.blocks)).sqrt();
        run(&mut bench, world, blocks, &mut rng);
        count(&mut tally, &bench, world);
    }
    tally
}

fn truth(test: &str, world: World) -> f64 {
    if test < "t04" { world.effect } else { world.others }
}

/// Whether a change lies beyond ±δ.
fn matters(truth: f64, world: World) -> bool {
    truth.exp_m1().abs() > world.delta + 1e-9
}

fn run(bench: &mut Bench, world: World, blocks: u32, rng: &mut Rng) {
    let mut last: HashMap<String, f64> = HashMap::new();
    for number in 0..world.budget.min(world.screening + world.confirmation) {
        let stage = if number < world.screening { Stage::Screening } else { Stage::Confirmation };
        let open = undecided(&bench.results);
        if open.is_empty() {
            break;
        }
        let luck = |test: &str, _: usize| {
            let fresh = if world.wild { rng.heavy() } else { rng.normal() };
            let luck = match last.get(test) {
                Some(last) => world.serial * last + (1.0 - world.serial * world.serial).sqrt() * fresh,
                None => fresh,
            };
            last.insert(test.to_owned(), luck);
            truth(test, world) + world.session_sd * luck
        };
        bench.session(stage, |test| open.contains(test), blocks, luck);
    }
}

fn count(tally: &mut Tally, bench: &Bench, world: World) {
    let summary = summarise(&bench.results);
    let mut alarm = false;
    for test in &summary.comparisons[0].tests {
        let truth = truth(&test.test, world);
        let difference = matches!(test.verdict, Some(Verdict::Regression | Verdict::Improvement));
        let [low, high] = test.ci95.unwrap();
        tally.covered += usize::from(low.ln() <= truth && truth <= high.ln());
        tally.half_widths.push(0.5 * (high.ln() - low.ln()));
        tally.sessions += u64::from(test.sessions);
        if !matters(truth, world) {
            tally.equal += 1;
            tally.false_alarms += usize::from(difference);
            tally.boring += usize::from(test.verdict == Some(Verdict::Boring));
            alarm |= difference;
        } else {
            tally.changed += 1;
            let right = if truth < 0.0 { Verdict::Regression } else { Verdict::Improvement };
            tally.found += usize::from(test.verdict == Some(right));
            tally.wrong_side += usize::from(difference && test.verdict != Some(right));
        }
    }
    tally.runs_with_false_alarm += usize::from(alarm);
}

impl Tally {
    fn coverage(&self) -> f64 {
        self.covered as f64 / (self.equal + self.changed) as f64
    }

    fn family_error(&self) -> f64 {
        self.runs_with_false_alarm as f64 / self.runs as f64
    }

    fn power(&self) -> f64 {
        self.found as f64 / self.changed.max(1) as f64
    }

    fn boring(&self) -> f64 {
        self.boring as f64 / self.equal as f64
    }

    fn line(&self, world: World) -> String {
        format!(
            "| {} | {}+{} | {:+.1} % | {} | {:.2} % | {:.1} % | {} | {:.1} % | {:.1} % | ±{:.2} % | {:.1} |",
            world.name,
            world.screening,
            world.confirmation,
            100.0 * world.effect.exp_m1(),
            self.runs,
            100.0 * self.false_alarms as f64 / self.equal as f64,
            100.0 * self.family_error(),
            if self.effect_was_there(world) {
                format!("{:.1} %", 100.0 * self.power())
            } else {
                "–".into()
            },
            100.0 * self.boring(),
            100.0 * self.coverage(),
            100.0 * crate::robust::quantile(&self.half_widths, 0.5).unwrap_or(0.0),
            self.sessions as f64 / (self.equal + self.changed) as f64,
        )
    }

    fn effect_was_there(&self, world: World) -> bool {
        world.effect != 0.0 && self.changed > 0
    }
}

#[test]
fn blocks_matter_only_through_the_error_they_leave() {
    let mut rng = Rng::new(3);
    let mut session_sd = |blocks: u32, noise: f64| {
        let session = |_| {
            let values: Vec<f64> = (0..blocks).map(|_| noise * rng.heavy()).collect();
            crate::robust::trimmed(&values).map_or(0.0, |location| location.mean)
        };
        crate::robust::sd(&(0..400).map(session).collect::<Vec<_>>())
    };
    let (many, few) = (session_sd(600, 0.05), session_sd(20, 0.05 / 30f64.sqrt()));
    assert!((0.85..1.18).contains(&(few / many)), "{few} {many}");
}

#[test]
fn equal_servers_stay_quiet_although_one_looks_after_every_session() {
    let tally = simulate(World { delta: 0.0, ..QUIET }, 100, 1);
    // Nominal 5 %; three standard errors of 100 runs above it is 11.5 %.
    assert!(tally.family_error() <= 0.11, "family error {}", tally.family_error());
    assert!(tally.coverage() >= 0.93, "coverage {}", tally.coverage());
}

/// Finding 6: of tests that have lost just δ none is to be called a regression, and of runs of 22 such tests one in twenty.
#[test]
fn losses_of_just_delta_are_no_regressions() {
    let edge = 0.99f64.ln();
    let tally = simulate(World { effect: edge, others: edge, ..QUIET }, 100, 4);
    assert!(tally.family_error() <= 0.11, "family error {}", tally.family_error());
}

#[test]
fn a_loss_of_three_percent_is_found_and_equality_is_shown() {
    let tally = simulate(World { effect: 0.97f64.ln(), ..QUIET }, 60, 2);
    assert!(tally.power() >= 0.97, "power {}", tally.power());
    assert!(tally.boring() >= 0.97, "boring {}", tally.boring());
    assert!(tally.coverage() >= 0.93, "coverage {}", tally.coverage());
    assert_eq!((tally.false_alarms, tally.wrong_side), (0, 0));
}

#[test]
#[ignore = "prints the table in docs/statistics.md; takes minutes"]
fn simulated_table() {
    println!(
        "| world | sessions | change in 4 of 22 | runs | false alarm per test | false alarm per run | found | boring among equal | coverage | half-width, median | sessions used |\n|---|---|---|---|---|---|---|---|---|---|---|"
    );
    let with = |world: World, percent: f64| World { effect: (percent / 100.0).ln_1p(), ..world };
    let of = |world: World, confirmation| World { screening: 0, confirmation, ..world };
    let screened = |world: World| World { screening: 1, confirmation: 4, ..world };
    let strict = World { delta: 0.0, name: "session sd 0.3 %, δ 0", ..QUIET };
    let strict_wild = World { delta: 0.0, wild: true, name: "session sd 0.3 %, some wild, δ 0", ..QUIET };
    let wild = World { wild: true, name: "session sd 0.3 %, some wild, δ 1 %", ..QUIET };
    let noisy = World { session_sd: 0.01, name: "session sd 1 %, δ 1 %", ..QUIET };
    let drifting =
        World { serial: 0.5, name: "session sd 0.3 %, each with half of the one before, δ 0", ..strict };
    let cut_short = World { budget: 6, name: "session sd 0.3 %, δ 0, budget spent after 6", ..strict };
    let worlds = [
        of(strict, 3),
        of(strict, 8),
        of(strict, 18),
        of(strict, 60),
        cut_short,
        screened(strict),
        of(strict_wild, 8),
        of(strict_wild, 18),
        of(strict_wild, 60),
        QUIET,
        with(QUIET, -1.0),
        with(QUIET, -1.5),
        with(QUIET, -2.0),
        with(QUIET, -3.0),
        with(QUIET, 100.0),
        wild,
        with(wild, -3.0),
        noisy,
        with(noisy, -3.0),
        with(noisy, -5.0),
        with(of(noisy, 60), -3.0),
        with(screened(QUIET), -3.0),
        with(of(QUIET, 3), -3.0),
        of(drifting, 18),
        of(drifting, 60),
        with(of(drifting, 60), -3.0),
    ];
    for (number, world) in worlds.into_iter().enumerate() {
        let runs = if world.delta == 0.0 && world.confirmation < 60 { 1000 } else { 300 };
        println!("{}", simulate(world, runs, 100 + number as u64).line(world));
    }
}

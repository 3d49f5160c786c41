//! The table in `docs/statistics.md`.

use crate::decide::Correction;
use crate::recorded::{read, records};
use crate::robust::quantile;

use super::worlds::{QUIET, Shape, TESTS, World};
use super::{Tally, simulate};

/// Runs of the default budget.
const RECORDED: [(&str, &str); 3] = [
    ("point tests, sd's of 2026-11-21 first-command", "2026-11-21-epyc-vm-2-cores/first-command.tsv"),
    ("point tests, sd's of 2026-11-22 first-command", "2026-11-22-epyc-vm-2-cores/first-command.tsv"),
    (
        "point tests, sd's of 2026-11-22 first-command-again",
        "2026-11-22-epyc-vm-2-cores/first-command-again.tsv",
    ),
];
const RUNS: usize = 2000;

const HEADING: &str = "| world | sessions | change in all others | change in some | false alarm per test | false alarm per run | found | boring inside ±δ | boring at or beyond δ | coverage | half-width, median | sessions used |\n|---|---|---|---|---|---|---|---|---|---|---|---|";

fn line(world: &World, tally: &Tally) -> String {
    let share = |part: usize, of: usize, digits: usize| match of {
        0 => "–".to_owned(),
        of => format!("{:.digits$} %", 100.0 * part as f64 / of as f64),
    };
    let sessions = if world.budget < world.sessions {
        format!("{} of {}", world.budget, world.sessions)
    } else {
        world.sessions.to_string()
    };
    format!(
        "| {} | {sessions} | {:+.1} % | {} of {:+.1} % | {} | {:.1} % | {} | {} | {} | {:.1} % | ±{:.2} % | {:.1} |",
        world.name,
        100.0 * world.others,
        world.changed,
        100.0 * world.effect,
        share(tally.false_alarms, tally.equal, 2),
        100.0 * tally.family_error(),
        share(tally.found, tally.changed, 1),
        share(tally.boring, tally.inside, 1),
        share(tally.false_boring, tally.outside, 1),
        100.0 * tally.coverage(),
        100.0 * quantile(&tally.half_widths, 0.5).unwrap_or(0.0),
        tally.sessions as f64 / tally.half_widths.len() as f64,
    )
}

fn worlds() -> Vec<World> {
    let all = |world: World, change: f64| World { effect: change, others: change, ..world };
    let some = |world: World, change: f64| World { effect: change, ..world };
    let of = |world: World, sessions| World { sessions, ..world };
    let noisy = World { name: "sd 1 %", session_sd: 0.01, ..QUIET };
    let wild =
        World { name: "sd 0.3 %, one session in twenty ten times as wide", shape: Shape::Wild, ..QUIET };
    let skewed = World { name: "sd 0.3 %, skewed", shape: Shape::Skewed, ..QUIET };
    let stalled = World {
        name: "5 % of both sides' slices take twice as long",
        shape: Shape::Stalled(0.05, 2.0),
        ..QUIET
    };
    let rare = World {
        name: "0.1 % of both sides' slices take 20 times as long",
        shape: Shape::Stalled(0.001, 20.0),
        ..QUIET
    };
    let drifting = World { name: "sd 0.3 %, each session with half of the one before", serial: 0.5, ..QUIET };
    let correlated = World { name: "sd 0.3 %, tests of a session correlated by 0.5", common: 0.5, ..QUIET };
    let null = World { name: "sd 0.3 %, δ 0", delta: 0.0, ..QUIET };
    let gate = World { name: "sd 0.3 %, gate (Holm)", correction: Correction::Gate, ..QUIET };
    let mut rows = vec![
        null,
        of(null, 3),
        of(null, 8),
        World { name: "sd 0.3 %, δ 0, budget spent", budget: 6, ..null },
    ];
    rows.extend([0.0, -0.005, -0.01].map(|change| all(QUIET, change)));
    rows.extend([3, 8, 60].map(|sessions| all(of(QUIET, sessions), -0.01)));
    rows.push(all(World { name: "sd 0.3 %, budget spent", budget: 6, ..QUIET }, -0.01));
    rows.extend([-0.015, -0.02, -0.03, 1.0].map(|change| some(QUIET, change)));
    rows.extend([QUIET, gate].map(|world| World { effect: -0.03, others: -0.01, ..world }));
    rows.extend([all(noisy, 0.0), all(noisy, -0.01), some(noisy, -0.02), some(noisy, -0.03)]);
    for world in [wild, skewed, stalled, rare, drifting, correlated] {
        rows.extend([all(world, 0.0), all(world, -0.005), all(world, -0.01), some(world, -0.02)]);
    }
    let drifting = of(drifting, 60);
    rows.extend([all(drifting, -0.01), some(drifting, -0.02)]);
    rows.extend(recorded());
    rows
}

/// The point tests of recorded runs, each with its own sd; the run is filled with them.
fn recorded() -> Vec<World> {
    let world = |(name, file): (&'static str, &str)| {
        let rows = read(&records().join(file));
        let point = rows.iter().filter(|row| row.group == "point").map(|row| row.sd).collect::<Vec<_>>();
        let sds: Vec<f64> = point.into_iter().cycle().take(TESTS).collect();
        World { name, sds: Some(sds.leak()), changed: TESTS, ..QUIET }
    };
    let worlds = RECORDED.map(world);
    let changes = [0.0, -0.005, -0.01, -0.02];
    let of = |world: World| changes.map(|effect| World { effect, others: effect, ..world });
    worlds.into_iter().flat_map(of).collect()
}

#[test]
#[ignore = "prints the table in docs/statistics.md; takes minutes"]
fn simulated_table() {
    println!("{RUNS} runs each\n\n{HEADING}");
    for (number, world) in worlds().into_iter().enumerate() {
        println!("{}", line(&world, &simulate(&world, RUNS, 100 + number as u64)));
    }
}

#[test]
#[ignore = "prints the recorded sd's between sessions that docs/statistics.md quotes"]
fn recorded_sds() {
    for (name, file) in RECORDED {
        for row in read(&records().join(file)).iter().filter(|row| row.group == "point") {
            println!("{name}: {} {:.2} %", row.test, 100.0 * row.sd);
        }
    }
}

//! How often changes of simulated series are false, how often steps are found, and how often their intervals hold. The table in
//! `docs/statistics.md` is printed by
//!
//! ```text
//! cargo test --release -p humdrum-analyse --lib -- --ignored --nocapture intervals_of_changes
//! ```

use super::*;
use crate::testkit::Rng;

/// Error of each result, ln units.
const ERROR: f64 = 0.01;
/// Size of a step, in standard deviations of a result about its level.
const STEP_SD: f64 = 3.0;

pub(super) fn series(values: &[f64], error: f64) -> Vec<SeriesValue> {
    values.iter().map(|value| SeriesValue { value: *value, error }).collect()
}

/// Levels of so many results about a mean. What results differ by beyond their errors has an sd of so many errors.
pub(super) fn drawn(
    rng: &mut Rng,
    levels: &[(usize, f64)],
    error: f64,
    errors_beyond: f64,
) -> Vec<SeriesValue> {
    let mut all = Vec::new();
    for (count, mean) in levels {
        all.extend((0..*count).map(|_| mean + error * (rng.normal() + errors_beyond * rng.normal())));
    }
    series(&all, error)
}

/// What became of steps.
struct Steps {
    /// Share that was found, within one result.
    found: f64,
    /// Share of these whose interval has the step.
    held: f64,
    /// The same of intervals by the moment estimator.
    held_by_moments: f64,
}

fn steps(results: [usize; 2], errors_beyond: f64, count: usize) -> Steps {
    let mut rng = Rng::new(6);
    let step = STEP_SD * (1.0 + errors_beyond * errors_beyond).sqrt() * ERROR;
    let (mut found, mut held) = (0_usize, [0_usize; 2]);
    for _ in 0..count {
        let series = drawn(&mut rng, &[(results[0], 0.0), (results[1], step)], ERROR, errors_beyond);
        let changes = change_points(&series);
        let Some(number) = changes.iter().position(|change| change.at.abs_diff(results[0]) <= 1) else {
            continue;
        };
        found += 1;
        let intervals = [changes[number].ci95, by_moments(&series, &changes, number)];
        for (held, [low, high]) in held.iter_mut().zip(intervals) {
            *held += usize::from((low..=high).contains(&step.exp()));
        }
    }
    let [held, held_by_moments] = held.map(|held| held as f64 / found.max(1) as f64);
    Steps { found: found as f64 / count as f64, held, held_by_moments }
}

/// The interval of a change with the variance between results as DerSimonian & Laird (1986) estimate it, for equal weights.
fn by_moments(series: &[SeriesValue], changes: &[ChangePoint], number: usize) -> [f64; 2] {
    let places = changes.iter().map(|change| change.at);
    let bounds: Vec<usize> = std::iter::once(0).chain(places).chain([series.len()]).collect();
    let levels: Vec<&[SeriesValue]> = bounds.windows(2).map(|pair| &series[pair[0]..pair[1]]).collect();
    let beyond = |level: &&[SeriesValue]| {
        let count = level.len() as f64;
        let mean = level.iter().map(|one| one.value).sum::<f64>() / count;
        let squares: f64 = level.iter().map(|one| (one.value - mean).powi(2)).sum();
        squares - (count - 1.0) * ERROR.powi(2)
    };
    let freedom = (series.len() - levels.len()) as f64;
    let between = (levels.iter().map(beyond).sum::<f64>() / freedom).max(0.0);
    let [old, new] = [levels[number], levels[number + 1]].map(|level| level.len() as f64);
    let half = t_critical(ALPHA, freedom) * ((ERROR.powi(2) + between) * (1.0 / old + 1.0 / new)).sqrt();
    let difference = changes[number].ratio.ln();
    [(difference - half).exp(), (difference + half).exp()]
}

#[test]
fn alarms_are_false_as_often_as_is_said() {
    let mut rng = Rng::new(5);
    for count in [6, 12, 30] {
        let still =
            (0..400).filter(|_| !change_points(&drawn(&mut rng, &[(count, 0.0)], ERROR, 1.0)).is_empty());
        let share = still.count() as f64 / 400.0;
        println!("{count} results of one level: {:.1} % false", 100.0 * share);
        assert!(share < 0.08, "{count}: {share}");
    }
}

#[test]
fn steps_are_found_and_intervals_hold_them() {
    for errors_beyond in [0.0, 1.0, 3.0] {
        let Steps { found, held, .. } = steps([8, 8], errors_beyond, 600);
        println!("a step of three standard deviations: {found} found, {held} of these held");
        assert!(found > 0.92 && held > 0.92, "{errors_beyond}: {found} {held}");
    }
}

#[test]
#[ignore = "prints the table of changes in docs/statistics.md"]
fn intervals_of_changes() {
    println!(
        "| results before and after the step | spread beyond their errors | found | interval holds | by moments |"
    );
    println!("|---|---|---|---|---|");
    for results in [[4, 4], [8, 8], [5, 20], [20, 5]] {
        for errors_beyond in [0.0, 1.0, 3.0] {
            let Steps { found, held, held_by_moments } = steps(results, errors_beyond, 4000);
            let spread =
                if errors_beyond > 0.0 { format!("{errors_beyond} × the error") } else { "none".to_owned() };
            let [found, held, moments] =
                [found, held, held_by_moments].map(|share| format!("{:.1} %", 100.0 * share));
            println!("| {}, {} | {spread} | {found} | {held} | {moments} |", results[0], results[1]);
        }
    }
}

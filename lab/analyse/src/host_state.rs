//! Whether a ratio depends on the speed of the host.
//!
//! A slowdown that affects both sides equally cancels in a ratio. One that affects a memory-bound release
//! more does not. The load of other guests on a shared machine changes from minute to minute and from hour to
//! hour. Changes within a run are in the spread between sessions, and so in the interval; changes between
//! hours are not in the interval of one run. So if sessions show that the ratio depends on the host's speed,
//! a note says so, with its size.
//!
//! ```text
//!   ln ratio │ ·  ·
//!            │   · ·· ·              slope: what the ratio loses where both sides need longer
//!            │        ·  · ·
//!            └──────────────── mean of both sides' ln time: the noise of either side alone makes no slope
//! ```

use crate::dist::t_two_sided;
use crate::estimate::Estimate;
use crate::ratio::{session_values_by, throughput};
use crate::robust::{mean, quantile, ranks};
use crate::run::TestBlocks;

/// With fewer sessions, a slope may be chance.
const SESSIONS_MIN: usize = 12;
/// So small that, of some twenty tests, none has the note by chance.
const P_MAX: f64 = 0.0005;
/// Part of the interval's half-width that the host's speed must move the ratio by, to be worth telling.
const MATERIAL: f64 = 0.5;

/// A line through sessions.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Slope {
    /// Change of ln ratio for a change of ln time.
    slope: f64,
    /// Two-sided p of "no slope".
    p: f64,
    /// ln time between the tenth and the ninetieth percentile of sessions.
    range: f64,
}

/// A note if the ratio depends on the host's speed.
pub(crate) fn note(found: &Estimate, blocks: &TestBlocks<'_>, subject: usize) -> Option<String> {
    // The mean of both sides' ln time.
    let time = session_values_by(&blocks.sessions, |block| {
        [throughput(block, 0, -0.5), throughput(block, subject, -0.5)]
    });
    let points: Vec<(f64, f64)> = found
        .evidence
        .sessions
        .iter()
        .filter_map(|session| {
            Some((time.iter().find(|time| time.number == session.number)?.value, session.value))
        })
        .collect();
    let Slope { slope, p, range } = line(&points)?;
    if p > P_MAX || (slope * range).abs() < MATERIAL * found.half {
        return None;
    }
    let percent = 100.0 * ((slope * 1.1f64.ln()).exp() - 1.0);
    let direction = if percent < 0.0 { "lower" } else { "higher" };
    let range = 100.0 * (range.exp() - 1.0);
    Some(format!(
        "the ratio depends on the host's speed: where both sides take 10 % longer it is {:.1} % {direction}; sessions of this \
         run differed by {range:.0} %, and other hours may differ by more",
        percent.abs()
    ))
}

/// The median of the slopes between all pairs (Theil 1950, Sen 1968), with the p of the rank correlation
/// (Spearman 1904). A few sessions in which one side alone was slow have long times and extreme ratios; they
/// affect neither.
fn line(points: &[(f64, f64)]) -> Option<Slope> {
    if points.len() < SESSIONS_MIN {
        return None;
    }
    let (x, y): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
    let pairs = (0..points.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
    let slopes = pairs.map(|(one, other)| (y[one] - y[other]) / (x[one] - x[other]));
    let slopes: Vec<f64> = slopes.filter(|slope| slope.is_finite()).collect();
    let slope = quantile(&slopes, 0.5)?;
    let rho = correlation(&ranks(&x), &ranks(&y));
    let freedom = points.len() as f64 - 2.0;
    let t = rho * (freedom / (1.0 - rho * rho)).sqrt();
    let range = quantile(&x, 0.9)? - quantile(&x, 0.1)?;
    // A virtual clock has no spread to know a slope from.
    (!t.is_nan()).then(|| Slope { slope, p: t_two_sided(t, freedom), range })
}

fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let (middle_x, middle_y) = (mean(x), mean(y));
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        x.iter().zip(y).map(|(x, y)| of(x - middle_x, y - middle_y)).sum()
    };
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::band::Band;
    use crate::estimate::Rules;
    use crate::measure::estimate;
    use crate::ratio::session_values;
    use crate::run::Run;
    use crate::testkit::Bench;
    use humdrum_model::Stage;

    /// Twenty sessions on a host whose speed swings by 20 %; the subject's time goes with its `power`.
    fn told(power: f64) -> Option<String> {
        let mut bench = Bench::new(&["t"], 2, 0, 20);
        bench.block_noise = 0.01;
        for _ in 0..20 {
            bench.session(Stage::Confirmation, |_| true, 20, |_, _| -0.05);
        }
        for block in &mut bench.results.blocks {
            let slower = 0.1 * f64::from(block.session).sin();
            for (slice, power) in block.slices.iter_mut().zip([1.0, power]) {
                slice.wall_ns = (slice.wall_ns as f64 * (slower * power).exp()) as u64;
            }
        }
        let run = Run::new(&bench.results);
        let blocks = run.test("t").expect("blocks");
        let design = &bench.results.plan.design;
        let rules = Rules { design, family: 1, finished: true };
        let values = session_values(&blocks.sessions, 1);
        let found = estimate(&values, &Band::new(design, false, None), &rules).expect("sessions");
        note(&found, blocks, 1)
    }

    #[test]
    fn a_side_that_suffers_more_from_a_slow_host_is_told_of() {
        let told = told(1.3).expect("a note");
        // Of 1.15 that both take longer, the subject takes 0.3 more than the base: 1.1^(-0.3/1.15) is 2.5 % less.
        let size = told.split_once("longer it is ").and_then(|(_, rest)| rest.split_once(" % lower"));
        let size: f64 = size.expect("a size").0.parse().expect("a number");
        assert!((size - 2.5).abs() < 0.3, "{told}");
        assert!(told.contains("differed by 2"), "{told}");
    }

    #[test]
    fn a_host_that_slows_both_alike_is_not() {
        assert_eq!(told(1.0), None);
    }

    #[test]
    fn sessions_in_which_one_side_alone_was_slow_make_no_slope() {
        let calm = (0..36).map(|i| (0.01 * f64::from(i % 5), 0.001 * f64::from(i % 7)));
        let points: Vec<(f64, f64)> = calm.chain([(0.14, 0.25); 3]).collect();
        assert!(line(&points).expect("a line").p > P_MAX);
        let steep: Vec<(f64, f64)> = points.iter().map(|(x, _)| (*x, -0.3 * x)).collect();
        let found = line(&steep).expect("a line");
        assert!((found.slope + 0.3).abs() < 1e-9 && found.p < 1e-9, "{found:?}");
    }

    #[test]
    fn few_sessions_and_no_spread_say_nothing() {
        assert_eq!(line(&[(0.0, 0.0), (1.0, 1.0)]), None);
        assert_eq!(line(&[(1.0, 0.5); 20]), None);
    }
}

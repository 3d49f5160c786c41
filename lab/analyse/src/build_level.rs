//! How much builds of one source differ: the level *build* of runs that each have builds of their own.

use humdrum_model::BuildLevel;

use crate::reach::RunEstimate;

/// Of the estimates of runs, each with builds of its own; `None` for fewer than two. What runs differ by beyond the errors that their
/// sessions give them is the build's and, as each run has an hour of its own too, the hour's.
pub(crate) fn build_level(runs: &[RunEstimate]) -> Option<BuildLevel> {
    if runs.len() < 2 {
        return None;
    }
    let count = runs.len() as f64;
    let mean = runs.iter().map(|run| run.mean).sum::<f64>() / count;
    let all = runs.iter().map(|run| (run.mean - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let within = runs.iter().map(|run| run.standard_error.powi(2)).sum::<f64>() / count;
    Some(BuildLevel {
        builds: runs.len() as u32,
        sd_between: (all - within).max(0.0).sqrt(),
        sd_within: within.sqrt(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(mean: f64, standard_error: f64) -> RunEstimate {
        RunEstimate { mean, standard_error, freedom: 8.0 }
    }

    #[test]
    fn what_sessions_leave_is_no_spread_of_builds() {
        let found = build_level(&[run(0.01, 0.003), run(-0.01, 0.003), run(0.0, 0.003)]).expect("three runs");
        let expected = (1e-4_f64 - 9e-6).sqrt();
        assert!(
            (found.sd_between - expected).abs() < 1e-12 && (found.sd_within - 0.003).abs() < 1e-12,
            "{found:?}"
        );
        assert_eq!(found.builds, 3);
        let alike = build_level(&[run(0.001, 0.003), run(-0.001, 0.003)]).expect("two runs");
        assert_eq!(alike.sd_between, 0.0);
        assert_eq!(build_level(&[run(0.0, 0.003)]), None);
    }
}

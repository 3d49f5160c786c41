//! Whether the background writer of a test kept its fixed rate. If it did not, the test had less work beside
//! it, so the test gets the status `sla-missed` and is not compared. The reference compares it, and so does a run that does as the
//! reference does, with a note.

use humdrum_model::{Stage, TestStatus};

use crate::ending::Ending;
use crate::run::{Run, TestBlocks};

/// Part of its rate that a background writer must keep, on average: the reference's limit.
const KEPT_MIN: f64 = 0.95;
/// With fewer due writes, no rate can be stated.
const DUE_MIN: f64 = 100.0;
/// The readings of the rate; both are needed.
const READINGS: [&str; 2] = ["writer_writes", "writer_due"];
/// The length of "the worst second", measured over successive slices of the subject.
const WINDOW_NS: u64 = 1_000_000_000;

/// Parts of its rate that a writer kept.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Kept {
    mean: f64,
    worst_second: f64,
}

/// The ending of a test whose background rate was not kept, by the base or by `subject`.
pub(crate) fn missed(run: &Run<'_>, blocks: &TestBlocks<'_>, subject: usize) -> Option<Ending> {
    if run.results.plan.compat {
        return None;
    }
    let of =
        |whose: usize| kept(run, blocks, whose).filter(|kept| kept.mean < KEPT_MIN).map(|kept| (whose, kept));
    let (whose, kept) = of(0).or_else(|| of(subject))?;
    let limit = 100.0 * KEPT_MIN;
    Some(Ending {
        status: TestStatus::SlaMissed,
        notes: vec![format!("{}; below {limit:.0} % the test is not compared", told_of(run, whose, kept))],
    })
}

/// Notes on a test that is compared: the base missed its rate, which is compared only as the reference does it, or the subject
/// did not keep its rate in every second.
pub(crate) fn notes(run: &Run<'_>, blocks: &TestBlocks<'_>, subject: usize) -> Vec<String> {
    let base = kept(run, blocks, 0).filter(|kept| kept.mean < KEPT_MIN).map(|kept| told_of(run, 0, kept));
    let own = kept(run, blocks, subject).filter(|kept| kept.worst_second < KEPT_MIN);
    base.into_iter().chain(own.map(told)).collect()
}

fn told_of(run: &Run<'_>, whose: usize, kept: Kept) -> String {
    let base = &run.results.plan.subjects[0].label;
    let who = if whose == 0 { format!("the base {base}: ") } else { String::new() };
    format!("{who}{}", told(kept))
}

fn told(kept: Kept) -> String {
    let percent = |part: f64| format!("{:.1} %", 100.0 * part);
    format!(
        "the background writer kept {} of its rate, {} in its worst second",
        percent(kept.mean),
        percent(kept.worst_second)
    )
}

fn kept(run: &Run<'_>, blocks: &TestBlocks<'_>, subject: usize) -> Option<Kept> {
    let place = |name| run.results.metrics.iter().position(|metric| metric.name == name);
    let [done, due] = READINGS.map(place);
    let (done, due) = (done?, due?);
    let mut sum = [0.0; 2];
    let mut worst = f64::INFINITY;
    for session in blocks.sessions.iter().filter(|session| session.stage != Stage::SliceCheck) {
        let (mut window, mut window_ns) = ([0.0; 2], 0);
        for slice in session.blocks.iter().filter_map(|block| block.slice(subject)) {
            let read = |place: usize| slice.readings.get(place).copied().unwrap_or(0) as f64;
            let own = [read(done), read(due)];
            (0..2).for_each(|at| {
                sum[at] += own[at];
                window[at] += own[at];
            });
            window_ns += slice.wall_ns;
            if window_ns >= WINDOW_NS {
                worst = worst.min(window[0] / window[1].max(1.0));
                (window, window_ns) = ([0.0; 2], 0);
            }
        }
    }
    let mean = sum[0] / sum[1];
    // Runs shorter than a second have no worst one of their own.
    (sum[1] >= DUE_MIN).then(|| Kept { mean, worst_second: worst.min(mean) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Bench, counters};
    use crate::{summarise, undecided};

    /// 60 slices of 10 ms a session; `done` of 50 writes in each.
    fn bench(done: impl Fn(usize, u32) -> i64) -> Bench {
        let mut bench = Bench::new(&["readww", "read"], 3, 0, 4);
        for _ in 0..4 {
            bench.session(Stage::Confirmation, |_| true, 120, |_, _| 0.0);
        }
        bench.results.metrics = counters(&READINGS);
        for block in &mut bench.results.blocks {
            let (index, beside) = (block.index, i64::from(block.test == "readww"));
            block.slices.iter_mut().for_each(|slice| {
                slice.readings = vec![beside * done(slice.subject, index), beside * 50];
            });
        }
        bench
    }

    #[test]
    fn a_missed_rate_is_a_status_without_a_ratio_and_concerns_its_subject() {
        let bench = bench(|subject, _| if subject == 2 { 40 } else { 49 });
        let summary = summarise(&bench.results);
        let missed = &summary.comparisons[1].tests[0];
        assert_eq!((missed.status, missed.verdict, missed.rqps), (TestStatus::SlaMissed, None, None));
        assert!(missed.qps.is_some() && missed.p_adjusted.is_none() && missed.ci95.is_none());
        assert!(missed.notes[0].contains("kept 80.0 % of its rate"), "{:?}", missed.notes);
        assert_eq!(summary.comparisons[0].tests[0].status, TestStatus::Ok);
        assert!(summary.comparisons.iter().all(|one| one.tests[1].status == TestStatus::Ok));
        assert!(undecided(&bench.results).len() <= 2);
    }

    #[test]
    fn as_the_reference_does_it_a_missed_rate_is_a_note() {
        let mut bench = bench(|subject, _| if subject == 2 { 40 } else { 49 });
        bench.results.plan.compat = true;
        let summary = summarise(&bench.results);
        let missed = &summary.comparisons[1].tests[0];
        assert!(missed.status == TestStatus::Ok && missed.rqps.is_some(), "{missed:?}");
        assert!(
            missed.notes.iter().any(|note| note.contains("kept 80.0 % of its rate")),
            "{:?}",
            missed.notes
        );
    }

    #[test]
    fn as_the_reference_does_it_a_base_that_missed_its_rate_is_a_note() {
        let mut bench = bench(|subject, _| if subject == 0 { 10 } else { 50 });
        bench.results.plan.compat = true;
        let summary = summarise(&bench.results);
        for comparison in &summary.comparisons {
            let told = &comparison.tests[0];
            assert_eq!(told.status, TestStatus::Ok);
            assert!(told.notes.iter().any(|note| note.starts_with("the base ")), "{:?}", told.notes);
        }
    }

    #[test]
    fn a_base_that_missed_it_is_compared_with_nobody() {
        let summary = summarise(&bench(|subject, _| if subject == 0 { 10 } else { 50 }).results);
        for comparison in &summary.comparisons {
            assert_eq!(comparison.tests[0].status, TestStatus::SlaMissed);
            assert!(comparison.tests[0].notes[0].starts_with("the base base: "));
        }
    }

    #[test]
    fn one_bad_second_is_a_note() {
        let summary =
            summarise(&bench(|subject, index| if subject == 1 && index < 100 { 45 } else { 51 }).results);
        let told = &summary.comparisons[0].tests[0];
        assert_eq!(told.status, TestStatus::SlaMissed, "{:?}", told.notes);
        let summary =
            summarise(&bench(|subject, index| if subject == 1 && index < 30 { 41 } else { 50 }).results);
        let told = &summary.comparisons[0].tests[0];
        assert_eq!(told.status, TestStatus::Ok);
        assert!(told.notes.iter().any(|note| note.contains("worst second")), "{:?}", told.notes);
    }
}

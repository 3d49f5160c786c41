//! Notes beside a verdict: which evidence it used, and how long more of it would take.

use humdrum_model::{IDLE_PCT, IDLE_PCT_MAX, Place, Results, SLICE_MS, TestInfo, TestResult};

use crate::estimate::Estimate;
use crate::run::Run;

/// A note if a verdict used other sessions than usual.
pub(crate) fn origin_note(found: &Estimate) -> Option<String> {
    if found.evidence.screened {
        return Some("settled by screening: boring and narrow".to_owned());
    }
    found.evidence.pooled.then(|| "fewer than three sessions that count".to_owned())
}

/// A note if the idle side of a test that writes could not be stopped in place.
pub(crate) fn awake_note(results: &Results, test: &TestInfo, subject: usize) -> Option<String> {
    let external = |number: usize| {
        results.plan.subjects.get(number).is_some_and(|one| matches!(one.place, Place::External(_)))
    };
    (test.writes && (external(0) || external(subject))).then(|| {
        "a server that humdrum did not start cannot be stopped during the other's turn, so its background work can \
         slow the other"
            .to_owned()
    })
}

/// The part of a slice, in percent, that longer slices are to leave to their ends: safely below what a note tells of.
const IDLE_PCT_WANTED: f64 = 4.0;

/// A note if the ends of slices, in which not all clients work, are so much of them that they are part of the ratio.
pub(crate) fn idle_note(result: &TestResult) -> Option<String> {
    let cost = result.cost.get(IDLE_PCT)?;
    let most = cost.base.max(cost.subject);
    if most <= IDLE_PCT_MAX {
        return None;
    }
    let slice_ms = result.seconds * 1000.0 / (2 * result.blocks.max(1)) as f64;
    // What the ends take does not depend on the slice's length. Tens of milliseconds are exact enough.
    let needed = (slice_ms * most / IDLE_PCT_WANTED / 10.0).ceil() * 10.0;
    let longest = *SLICE_MS.end();
    let advice = match needed <= longest {
        true => format!("repeat with --slice-ms {needed} or more"),
        false => {
            format!("not even --slice-ms {longest}, the longest, would do: measure it with fewer clients")
        }
    };
    Some(format!(
        "ends of slices: in {most:.1} % of a slice ({IDLE_PCT}) a client had not begun or had no operation left; above {IDLE_PCT_MAX} % \
         the ratio is in part one of fewer clients, which wait less for each other, and is off by about as much as the sides \
         differ in it ({:.1} %); {advice}",
        (cost.subject - cost.base).abs()
    ))
}

/// The note of a test of which nothing counts.
pub(crate) fn unmeasured_note(discarded: u64) -> String {
    match discarded {
        0 => "not measured: the run ended before its first block".to_owned(),
        _ => format!(
            "nothing left to judge: rules discarded all {discarded} blocks, because the host was disturbed; measure \
             with fewer clients, or where other machines do not take this one's processors (`humdrum doctor`)"
        ),
    }
}

/// The note of a test whose blocks count although the rule of steal marked most of them, `share`.
pub(crate) fn stolen_note(share: f64) -> String {
    format!(
        "the hypervisor took more than 5 % of this host in {:.0} % of the blocks; they count, and the interval is as wide as \
         that made it",
        share * 100.0
    )
}

/// The note of a test that was not measured with the chosen base.
pub(crate) fn apart_note(results: &Results) -> String {
    let base = results.plan.subjects.first().map_or("", |subject| subject.label.as_str());
    format!("not compared: no block of this test has both this subject and {base}")
}

/// Seconds of the run for one more session of one test that `subject` shares with the base.
pub(crate) fn pace(run: &Run<'_>, subject: usize) -> f64 {
    let results = run.results;
    let shared = results.sessions.iter().filter(|info| info.has(0) && info.has(subject)).count();
    let sessions_for_one = results.sessions.len() as f64 / shared.max(1) as f64;
    sessions_for_one * results.seconds / run.cells().max(1) as f64
}

#[cfg(test)]
mod tests {
    use humdrum_model::Stage;

    use crate::testkit::Bench;

    /// The notes on ends of slices of 10 ms in which clients are idle for so many milliseconds.
    fn ends(base_ms: f64, subject_ms: f64) -> Vec<String> {
        let mut bench = Bench::new(&["t"], 2, 0, 4);
        bench.block_noise = 0.0005;
        for _ in 0..4 {
            bench.session(Stage::Confirmation, |_| true, 6, |_, _| 0.0);
        }
        let slices = bench.results.blocks.iter_mut().flat_map(|block| &mut block.slices);
        slices.for_each(|slice| {
            slice.idle_ns = Some(([base_ms, subject_ms][slice.subject] * 1e6) as u64);
        });
        let mut notes = crate::summarise(&bench.results).comparisons.remove(0).tests.remove(0).notes;
        notes.retain(|note| note.starts_with("ends of slices: "));
        notes
    }

    #[test]
    fn ends_of_slices_have_a_note_from_five_percent_on() {
        assert!(ends(0.4, 0.45).is_empty());
        let told = ends(0.8, 0.9);
        let [note] = &told[..] else { panic!("{told:?}") };
        assert!(note.contains("in 9.0 % of a slice (idle_pct)") && note.contains("in it (1.0 %)"), "{note}");
        assert!(note.ends_with("; repeat with --slice-ms 30 or more"), "{note}");
        let long = ends(5.0, 5.0);
        assert!(long[0].contains("not even --slice-ms 100, the longest"), "{long:?}");
    }
}

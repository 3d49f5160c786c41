//! Notes beside a verdict: which evidence it used, and how long more of it would take.

use humdrum_model::{Place, Results, TestInfo};

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

//! Notes beside a verdict: which evidence it used.

use humdrum_model::{Place, Results, TestInfo};

use crate::estimate::Estimate;

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

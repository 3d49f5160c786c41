//! What a report says of imported results.

use humdrum_model::{Event, TestStatus};

use crate::runs::Runs;
use crate::source::Source;

/// A remark on the whole record, or on one subject.
pub(crate) fn remark(what: String) -> Event {
    Event { subject: None, test: None, session: None, status: TestStatus::Ok, what, log_tail: None }
}

/// What intervals cover, and what they do not.
pub(crate) fn coverage(runs: &Runs) -> Vec<String> {
    let pairs = runs.pairs();
    let single = pairs.iter().filter(|(base, subject)| *base.min(subject) == 1).count();
    let unequal = pairs.iter().filter(|(base, subject)| base != subject).count();
    let mut remarks = vec![
        "imported: others measured this, and humdrum only read their files. The subjects did not take turns, so neither an \
         interval nor a verdict covers what else differed between their runs: the hour, the host and its load, the data, the order"
            .to_owned(),
    ];
    if single < pairs.len() {
        remarks.push(
            "intervals are between repetitions: the first of a subject stands beside the first of the base, the second beside \
             the second, and so on"
                .to_owned(),
        );
    }
    if single > 0 {
        remarks.push(format!(
            "{single} of {} comparisons have one run of each subject: a ratio without an interval, and no verdict",
            pairs.len()
        ));
    }
    if unequal > 0 {
        remarks.push(format!(
            "in {unequal} of {} comparisons one subject has more repetitions than the other; those without a partner are left out",
            pairs.len()
        ));
    }
    remarks
}

/// What is to be said of one file.
pub(crate) fn of_file(source: &Source) -> Vec<String> {
    let path = source.given.path.display();
    let unread = &source.found.unread;
    let lines = unread.first.as_ref().map(|(number, text)| {
        let noun = if unread.count == 1 { "line was" } else { "lines were" };
        format!("{path}: {} {noun} not understood, the first is line {number}: {text}", unread.count)
    });
    lines.into_iter().chain(source.found.remarks.iter().map(|what| format!("{path}: {what}"))).collect()
}

//! Turns a fault into an event: a failed measurement is a row of the record, not the end of the program.

use humdrum_model::{Event, Fault, FaultKind, TestStatus};

/// The status that a fault gives to a test.
pub(crate) fn status(fault: &Fault) -> TestStatus {
    if fault.kind == FaultKind::WrongAnswer { TestStatus::WrongAnswer } else { TestStatus::Failed }
}

/// The event of a subject that failed in a test.
pub(crate) fn failed(subject: usize, test: &str, session: u32, fault: Fault) -> Event {
    Event {
        subject: Some(subject),
        test: Some(test.to_owned()),
        session: Some(session),
        status: status(&fault),
        what: fault.to_string(),
        log_tail: fault.log_tail,
    }
}

/// Whether a fault concerns the run rather than one subject.
pub(crate) fn ends_the_run(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::Interrupted | FaultKind::Usage)
}

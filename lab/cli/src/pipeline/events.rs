//! A failed measurement is a row, not an exit: how a fault becomes one.

use humdrum_model::{Event, Fault, FaultKind, TestStatus};

/// What a fault makes of a test.
pub fn status(fault: &Fault) -> TestStatus {
    if fault.kind == FaultKind::WrongAnswer { TestStatus::WrongAnswer } else { TestStatus::Failed }
}

/// A subject's test that failed.
pub fn failed(subject: usize, test: &str, session: u32, fault: Fault) -> Event {
    Event {
        subject: Some(subject),
        test: Some(test.to_owned()),
        session: Some(session),
        status: status(&fault),
        what: fault.to_string(),
        log_tail: fault.log_tail,
    }
}

/// Statuses that end a subject's part in a test.
pub fn ends_test(status: TestStatus) -> bool {
    matches!(status, TestStatus::Failed | TestStatus::WrongAnswer)
}

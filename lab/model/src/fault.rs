//! The one error of the lab: what happened, where, and what to type next.
//!
//! All stages use one type, because each does the same with an error: it adds the place that it knows, and passes the
//! error on. The kind decides the exit code, and whether the run can go on without the subject.

use std::fmt;

/// The kind of a fault. It decides the exit code and how a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The user's input cannot be acted on: exit code 2.
    Usage,
    /// A server crashed or broke the connection: a row, exit code 3.
    Crash,
    /// A server did not answer in time: a row, exit code 3.
    Timeout,
    /// A server answered with other rows than its peers: a row, exit code 3.
    WrongAnswer,
    /// The host refused something (disk, memory, permission, network): exit code 3.
    Environment,
    /// The user pressed Ctrl-C: exit code 130, results kept.
    Interrupted,
}

/// What happened, where, and what to do next.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// What happened, one sentence without a full stop.
    pub what: String,
    /// Where it happened, innermost first ("postgres@17.7", "hot-points", "session 3").
    pub places: Vec<String>,
    /// What the user can type or change.
    pub hint: Option<String>,
    /// The last lines of the server's log, if there is one.
    pub log_tail: Option<String>,
    /// The server rolled the statement back because of another session (a deadlock, a serialization failure). It can be
    /// run again.
    #[serde(default)]
    pub retryable: bool,
}

impl Fault {
    /// A fault of `kind`.
    pub fn new(kind: FaultKind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into(), places: Vec::new(), hint: None, log_tail: None, retryable: false }
    }

    /// Input that cannot be acted on.
    pub fn usage(what: impl Into<String>) -> Self {
        Self::new(FaultKind::Usage, what)
    }

    /// The host refused something.
    pub fn environment(what: impl Into<String>) -> Self {
        Self::new(FaultKind::Environment, what)
    }

    /// A server crashed or broke the connection.
    pub fn crash(what: impl Into<String>) -> Self {
        Self::new(FaultKind::Crash, what)
    }

    /// The same fault, with a place that the caller adds.
    #[must_use]
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.places.push(place.into());
        self
    }

    /// The same fault, with what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same fault, with the end of the server's log.
    #[must_use]
    pub fn log(mut self, tail: impl Into<String>) -> Self {
        self.log_tail = Some(tail.into());
        self
    }

    /// The same fault, of a statement that can be run again.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// The exit code of `humdrum` for this fault (`--help` lists the codes).
    pub fn exit_code(&self) -> u8 {
        match self.kind {
            FaultKind::Usage => 2,
            FaultKind::Interrupted => 130,
            FaultKind::Crash | FaultKind::Timeout | FaultKind::WrongAnswer | FaultKind::Environment => 3,
        }
    }
}

impl fmt::Display for Fault {
    /// `where: what`, outermost place first. The caller prints the hint and the log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for place in self.places.iter().rev() {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.what)
    }
}

impl std::error::Error for Fault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_from_the_outside_in() {
        let fault = Fault::crash("connection closed").at("hot-points").at("postgres@17.7");
        assert_eq!(fault.to_string(), "postgres@17.7: hot-points: connection closed");
        assert_eq!(fault.exit_code(), 3);
    }
}

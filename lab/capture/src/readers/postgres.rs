//! Messages of Postgres about statements, which its three formats of log share ("Error Reporting and Logging" in its manual).

use humdrum_model::{FNV1A, fnv1a};

use crate::collect::Captured;
use crate::event::{Event, Value};
use crate::memory::push_line;

/// A message that tells of a statement, and the values that a later line may give.
#[derive(Debug, Default)]
pub(super) struct Pending {
    pub(super) session: Option<u64>,
    message: String,
    detail: String,
    /// A message was begun.
    is_open: bool,
    values: Vec<Value>,
}

impl Pending {
    /// Begins a message; the one before is done.
    pub(super) fn begin(&mut self, session: Option<u64>, message: &str, captured: &mut Captured) {
        self.finish(captured);
        self.session = session;
        self.message.clear();
        self.detail.clear();
        self.message.push_str(message);
        self.is_open = true;
    }

    /// A further line of the message, or of its detail.
    pub(super) fn go_on(&mut self, line: &str) {
        let part = if self.detail.is_empty() { &mut self.message } else { &mut self.detail };
        push_line(part, line);
    }

    /// Its detail.
    pub(super) fn detail(&mut self, detail: &str) {
        self.detail.clear();
        self.detail.push_str(detail);
    }

    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// No more of it comes.
    pub(super) fn finish(&mut self, captured: &mut Captured) {
        if !std::mem::take(&mut self.is_open) {
            return;
        }
        let Some((seconds, text)) = statement(&self.message) else { return };
        parameters(&self.detail, &mut self.values);
        captured.add(&Event { session: self.session, text, values: &self.values, seconds });
    }
}

/// `duration: 0.123 ms  execute s1: SELECT 1`: the time and the text. Parsing and binding are no statements of their own.
fn statement(message: &str) -> Option<(Option<f64>, &str)> {
    let (seconds, rest) = match message.strip_prefix("duration: ") {
        Some(rest) => {
            let (milliseconds, rest) = rest.split_once(' ')?;
            (Some(time(milliseconds)? / 1000.0), rest.strip_prefix("ms")?.trim_start())
        }
        None => (None, message),
    };
    if let Some(text) = rest.strip_prefix("statement: ") {
        return Some((seconds, text));
    }
    let (_name, text) = rest.strip_prefix("execute ")?.split_once(": ")?;
    Some((seconds, text))
}

/// A time as a log has it: neither negative nor infinite, because times are added up and compared.
pub(super) fn time(text: &str) -> Option<f64> {
    text.parse().ok().filter(|time: &f64| time.is_finite() && !time.is_sign_negative())
}

/// Whether a message may tell of a statement.
pub(super) fn tells(message: &str) -> bool {
    ["duration: ", "statement: ", "execute "].iter().any(|start| message.starts_with(start))
}

/// `parameters: $1 = '5', $2 = NULL`, with a capital letter from Postgres 16 on.
fn parameters(detail: &str, values: &mut Vec<Value>) {
    values.clear();
    let rest = detail.trim_start();
    let Some(mut rest) = rest.strip_prefix("parameters: ").or_else(|| rest.strip_prefix("Parameters: "))
    else {
        return;
    };
    while let Some(behind) = rest.strip_prefix('$') {
        let Some((_, value)) = behind.split_once(" = ") else { return };
        let (value, after) = match value.strip_prefix('\'') {
            None => (Value::Null, value.strip_prefix("NULL").unwrap_or_default()),
            Some(text) => {
                let mut end = 0;
                loop {
                    let Some(quote) = memchr::memchr(b'\'', &text.as_bytes()[end..]) else { return };
                    end += quote;
                    if text.as_bytes().get(end + 1) != Some(&b'\'') {
                        break;
                    }
                    end += 2;
                }
                (Value::Text(text[..end].replace("''", "'").into()), &text[end + 1..])
            }
        };
        values.push(value);
        rest = after.strip_prefix(", ").unwrap_or_default();
    }
}

/// A number for a session's name.
pub(super) fn session(name: &str) -> u64 {
    fnv1a(FNV1A, name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_texts_are_told_from_other_messages() {
        let found = statement("duration: 1.500 ms  statement: SELECT 'a: b'");
        assert_eq!(found, Some((Some(0.0015), "SELECT 'a: b'")));
        assert_eq!(statement("duration: 2 ms  execute s1: SELECT $1"), Some((Some(0.002), "SELECT $1")));
        assert_eq!(statement("execute <unnamed>: SELECT 1"), Some((None, "SELECT 1")));
        assert_eq!(statement("statement: BEGIN"), Some((None, "BEGIN")));
        for none in [
            "duration: 0.1 ms  bind s1: SELECT 1",
            "duration: 0.1 ms",
            "connection received",
            "duration: x ms",
            "duration: NaN ms  statement: SELECT 1",
            "duration: -1 ms  statement: SELECT 1",
            "duration: 1e999 ms  statement: SELECT 1",
        ] {
            assert_eq!(statement(none), None, "{none}");
        }
    }

    #[test]
    fn values_are_read_from_the_detail() {
        let read = |text: &str| {
            let mut values = Vec::new();
            parameters(text, &mut values);
            values
        };
        let text = |value: &str| Value::Text(value.into());
        assert_eq!(
            read("parameters: $1 = '5', $2 = NULL, $3 = 'it''s, $4 = ''x'''"),
            [text("5"), Value::Null, text("it's, $4 = 'x'")]
        );
        assert_eq!(read("Parameters: $1 = 'a\nb'"), [text("a\nb")]);
        assert!(read("parameters: $1 = 'cut off").is_empty() && read("something else").is_empty());
    }
}

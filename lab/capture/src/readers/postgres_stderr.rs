//! `log_destination = stderr`: lines with the prefix that `log_line_prefix` gives, continued by lines that begin with a tab.
//! Sessions are told apart by a process number in brackets, as the default prefix `%m [%p]` has it.

use humdrum_model::Fault;

use super::postgres::{Pending, tells};
use crate::collect::Captured;
use crate::event::Dialect;
use crate::{Lines, Reader};

pub(super) struct Stderr;

/// What a line's severity looks like; the first is the one of statements.
const SEVERITIES: [&str; 12] = [
    "LOG:  ",
    "DETAIL:  ",
    "ERROR:  ",
    "STATEMENT:  ",
    "WARNING:  ",
    "HINT:  ",
    "CONTEXT:  ",
    "NOTICE:  ",
    "FATAL:  ",
    "INFO:  ",
    "PANIC:  ",
    "QUERY:  ",
];
/// A prefix is no longer than this.
const PREFIX_MAX: usize = 400;

impl Reader for Stderr {
    fn name(&self) -> &'static str {
        "postgres"
    }

    fn about(&self) -> &'static str {
        "Postgres, log_destination = stderr, with log_min_duration_statement = 0"
    }

    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn fits(&self, head: &str) -> bool {
        let is_csv_or_json = |line: &str| line.starts_with('{') || line.contains(",LOG,");
        let line = |line: &str| !is_csv_or_json(line) && severity(line).is_some_and(|(_, kind, _)| kind == 0);
        head.lines().take(200).any(line)
    }

    fn read(&self, lines: &mut Lines<'_>, captured: &mut Captured) -> Result<(), Fault> {
        let mut pending = Pending::default();
        while let Some(line) = lines.read()? {
            if let Some(rest) = line.strip_prefix('\t') {
                if pending.is_open() {
                    pending.go_on(rest);
                }
                continue;
            }
            match severity(line) {
                Some((prefix, 0, message)) if tells(message) => {
                    pending.begin(process(prefix), message, captured);
                }
                Some((_, 1, detail)) if pending.is_open() => pending.detail(detail),
                Some(_) => pending.finish(captured),
                None => {
                    pending.finish(captured);
                    captured.unknown_lines += u64::from(!line.trim().is_empty());
                }
            }
        }
        pending.finish(captured);
        Ok(())
    }
}

/// The prefix, the number of the severity, and the message.
fn severity(line: &str) -> Option<(&str, usize, &str)> {
    // The colon and two blanks behind the severity come first in no prefix. Colons of times are few, and a search for all three
    // bytes would have to be prepared for each line.
    let head = &line.as_bytes()[..PREFIX_MAX.min(line.len())];
    let at = memchr::memchr_iter(b':', head).find(|at| head[*at..].starts_with(b":  "))?;
    let (before, message) = (&line[..at], &line[at + 3..]);
    let kind = SEVERITIES.iter().position(|one| before.ends_with(one.trim_end_matches(":  ")))?;
    Some((&line[..at - (SEVERITIES[kind].len() - 3)], kind, message))
}

/// The number in the last brackets of a prefix.
fn process(prefix: &str) -> Option<u64> {
    let (_, inner) = prefix.trim_end().strip_suffix(']').map_or_else(
        || prefix.rsplit_once(']').and_then(|(before, _)| before.rsplit_once('[')),
        |before| before.rsplit_once('['),
    )?;
    let digits = inner.split('-').next().unwrap_or(inner);
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_what_people_set() {
        let line = "2026-11-25 19:00:00.123 UTC [4711] LOG:  duration: 0.1 ms  statement: SELECT 'LOG:  x'";
        let (prefix, kind, message) = severity(line).expect("a line");
        assert_eq!((process(prefix), kind), (Some(4711), 0));
        assert_eq!(message, "duration: 0.1 ms  statement: SELECT 'LOG:  x'");
        assert_eq!(process("2026-11-25 19:00:00 UTC [4711-3] me@shop "), Some(4711));
        assert_eq!(process("me@shop "), None);
        assert_eq!(severity("DETAIL:  parameters: $1 = '5'"), Some(("", 1, "parameters: $1 = '5'")));
        assert_eq!(severity("no severity: at all"), None);
    }
}

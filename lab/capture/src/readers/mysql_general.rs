//! The general query log of MySQL and MariaDB: `TIME<tab> ID COMMAND<tab>TEXT`, continued by lines of another form. It has no
//! times, so that statements are ranked by how often they ran. A prepared statement is there with its values when it is executed.

use humdrum_model::Fault;

use crate::collect::Captured;
use crate::event::{Dialect, Event};
use crate::memory::push_line;
use crate::{Lines, Reader};

pub(super) struct General;

/// Commands with a statement that was run.
const RUN: [&str; 2] = ["Query", "Execute"];
/// Other commands.
const OTHER: [&str; 20] = [
    "Prepare",
    "Connect",
    "Quit",
    "Close stmt",
    "Reset stmt",
    "Init DB",
    "Field List",
    "Change user",
    "Ping",
    "Statistics",
    "Binlog Dump",
    "Register Slave",
    "Sleep",
    "Create DB",
    "Drop DB",
    "Refresh",
    "Shutdown",
    "Processlist",
    "Kill",
    "Set option",
];

impl Reader for General {
    fn name(&self) -> &'static str {
        "mysql-general"
    }

    fn about(&self) -> &'static str {
        "MySQL and MariaDB, general_log: how often, and not how long"
    }

    fn dialect(&self) -> Dialect {
        Dialect::MySql
    }

    fn fits(&self, head: &str) -> bool {
        head.lines().take(500).any(|line| entry(line).is_some()) && !head.contains("\n# Query_time: ")
    }

    fn read(&self, lines: &mut Lines<'_>, captured: &mut Captured) -> Result<(), Fault> {
        let (mut text, mut session) = (String::new(), None);
        while let Some(line) = lines.read()? {
            match entry(line) {
                Some((id, command, statement)) => {
                    finish(&mut text, session, captured);
                    if RUN.contains(&command) {
                        session = Some(id);
                        text.push_str(statement);
                    }
                }
                None if !text.is_empty() => push_line(&mut text, line),
                None => captured.unknown_lines += u64::from(!line.trim().is_empty()),
            }
        }
        finish(&mut text, session, captured);
        Ok(())
    }
}

fn finish(text: &mut String, session: Option<u64>, captured: &mut Captured) {
    if !text.is_empty() {
        captured.add(&Event { session, text, values: &[], seconds: None });
    }
    text.clear();
}

/// The session, the command and its text. MariaDB leaves the time out where it is that of the line before.
fn entry(line: &str) -> Option<(u64, &str, &str)> {
    if !matches!(line.bytes().next()?, b'\t' | b'0'..=b'9') {
        return None;
    }
    let (_time, rest) = at_tab(line)?;
    let rest = rest.trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let id = rest[..digits].parse().ok()?;
    let (command, text) = at_tab(&rest[digits..]).unwrap_or((&rest[digits..], ""));
    let command = command.trim();
    let known = RUN.contains(&command) || OTHER.contains(&command);
    known.then_some((id, command, text))
}

fn at_tab(text: &str) -> Option<(&str, &str)> {
    let at = memchr::memchr(b'\t', text.as_bytes())?;
    Some((&text[..at], &text[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_both_servers_are_read() {
        let mysql = "2026-11-25T19:00:00.123456Z\t    8 Query\tSELECT 1";
        assert_eq!(entry(mysql), Some((8, "Query", "SELECT 1")));
        assert_eq!(entry("251125 19:00:00\t     8 Execute\tSELECT 2"), Some((8, "Execute", "SELECT 2")));
        assert_eq!(entry("\t\t     9 Quit\t"), Some((9, "Quit", "")));
        assert_eq!(entry("  AND b = 2"), None);
        assert_eq!(entry("\tAND b = 2"), None);
    }
}

//! The slow query log of MySQL and MariaDB, which has every statement with `long_query_time = 0`: lines with `#` about a
//! statement, then `SET timestamp`, then the statement, whose values are in its text.

use humdrum_model::Fault;

use crate::collect::Captured;
use crate::event::{Dialect, Event};
use crate::memory::push_line;
use crate::{Lines, Reader};

pub(super) struct Slow;

/// In front of a statement's time.
const TIME: &str = "# Query_time: ";

impl Reader for Slow {
    fn name(&self) -> &'static str {
        "mysql-slow"
    }

    fn about(&self) -> &'static str {
        "MySQL and MariaDB, slow_query_log with long_query_time = 0"
    }

    fn dialect(&self) -> Dialect {
        Dialect::MySql
    }

    fn fits(&self, head: &str) -> bool {
        head.lines().any(|line| line.starts_with(TIME))
    }

    fn read(&self, lines: &mut Lines<'_>, captured: &mut Captured) -> Result<(), Fault> {
        let (mut text, mut session, mut seconds) = (String::new(), None, None);
        while let Some(line) = lines.read()? {
            if line.starts_with("# ") {
                if !text.is_empty() {
                    finish(&mut text, session, seconds.take(), captured);
                }
                // Three such lines a statement: only one of them is searched.
                if line.starts_with(TIME) {
                    seconds = decimal(line, TIME);
                } else if !line.starts_with("# Time: ") {
                    session = number(line, " Id: ").or_else(|| number(line, "Thread_id: ")).or(session);
                }
                continue;
            }
            let is_ours = text.is_empty()
                && (line.starts_with("SET timestamp=") || line.starts_with("use ") || line.is_empty());
            if is_ours || is_banner(line) {
                continue;
            }
            if seconds.is_none() && text.is_empty() {
                captured.unknown_lines += 1;
                continue;
            }
            if text.is_empty() {
                text.push_str(line);
            } else {
                push_line(&mut text, line);
            }
        }
        finish(&mut text, session, seconds, captured);
        Ok(())
    }
}

fn finish(text: &mut String, session: Option<u64>, seconds: Option<f64>, captured: &mut Captured) {
    if !text.is_empty() {
        captured.add(&Event { session, text, values: &[], seconds });
    }
    text.clear();
}

/// What a server writes when it opens its log.
fn is_banner(line: &str) -> bool {
    line.starts_with("Tcp port: ")
        || line.starts_with("Time                 Id Command")
        || line.starts_with("Time\t\t    Id Command")
        || (line.ends_with("started with:") && line.contains(", Version: "))
}

fn number(line: &str, before: &str) -> Option<u64> {
    let at = memchr::memmem::find(line.as_bytes(), before.as_bytes())?;
    let rest = line[at + before.len()..].trim_start();
    rest[..rest.bytes().take_while(u8::is_ascii_digit).count()].parse().ok()
}

fn decimal(line: &str, before: &str) -> Option<f64> {
    super::postgres::time(line.strip_prefix(before)?.split_whitespace().next()?)
}

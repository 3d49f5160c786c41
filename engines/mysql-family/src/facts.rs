//! Facts that a running server reports: version, build, every setting in force, and the character sets of our
//! own session.

use humdrum_contract::{Outcome, SqlSession};
use humdrum_engine_kit::pairs;
use humdrum_model::SubjectFacts;
use humdrum_mysql_session::Session;

/// Settings left out: they differ between any two servers or moments and say nothing of their speed, and the
/// version has its own place.
const LEFT_OUT: [&str; 21] = [
    "error_count",
    "gtid_binlog_pos",
    "gtid_binlog_state",
    "gtid_current_pos",
    "gtid_executed",
    "gtid_purged",
    "hostname",
    "identity",
    "insert_id",
    "last_gtid",
    "last_insert_id",
    "license",
    "port",
    "pseudo_thread_id",
    "rand_seed1",
    "rand_seed2",
    "server_uid",
    "server_uuid",
    "timestamp",
    "version",
    "version_suffix",
];

/// How a session's own settings are told from the server's.
const OF_SESSION: &str = "session.";

/// Completes what is known of the build by what the server says.
///
/// # Errors
/// Crash or timeout.
pub(crate) fn ask(session: &mut Session, known: SubjectFacts) -> Outcome<SubjectFacts> {
    let mut facts = known;
    let said = session
        .query("SELECT VERSION(), @@version_comment, @@version_compile_machine, @@version_compile_os")?;
    let said: Vec<String> = said.into_iter().flatten().map(Option::unwrap_or_default).collect();
    if let [version, comment, machine, os] = &said[..] {
        facts.version = plain(version).to_owned();
        facts.build.push(format!("{comment}, {os} on {machine}"));
    }
    let settings = session.query("SHOW GLOBAL VARIABLES")?;
    facts.settings = pairs(settings)
        .filter(|(name, value)| !LEFT_OUT.contains(&name.as_str()) && !is_path(value))
        .collect();
    let own = session.session_settings()?;
    facts.settings.extend(own.into_iter().map(|(name, value)| (format!("{OF_SESSION}{name}"), value)));
    facts.settings.sort();
    Ok(facts)
}

/// Where a server keeps things differs between any two.
fn is_path(value: &str) -> bool {
    value.starts_with('/')
}

/// `10.11.5` of `10.11.5-MariaDB-log`.
pub(crate) fn plain(version: &str) -> &str {
    let ends = |c: char| !c.is_ascii_digit() && c != '.';
    version.split(ends).next().filter(|number| !number.is_empty()).unwrap_or(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_plain_numbers() {
        assert_eq!(["8.0.33", "10.11.5-MariaDB-log", "odd"].map(plain), ["8.0.33", "10.11.5", "odd"]);
        assert!(LEFT_OUT.is_sorted());
        assert!(is_path("/run/s/mysql.sock") && !is_path("O_DIRECT"));
    }
}

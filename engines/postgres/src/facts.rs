//! Facts that a running server reports: version, compiler, every setting in force.

use humdrum_contract::{Outcome, SqlSession};
use humdrum_engine_kit::{pairs, single};
use humdrum_model::SubjectFacts;

/// Settings left out: where a server is differs between any two and says nothing of their speed, the version has
/// its own place, and connection strings may hold passwords.
const LEFT_OUT: [&str; 12] = [
    "config_file",
    "data_directory",
    "external_pid_file",
    "hba_file",
    "ident_file",
    "primary_conninfo",
    "restore_command",
    "server_version",
    "server_version_num",
    "shared_memory_size",
    "shared_memory_size_in_huge_pages",
    "unix_socket_directories",
];

/// Completes what is known of the build by what the server says.
///
/// # Errors
/// Crash or timeout.
pub(crate) fn ask(session: &mut dyn SqlSession, known: SubjectFacts) -> Outcome<SubjectFacts> {
    let version = session.query("SHOW server_version")?;
    let compiled = session.query("SELECT version()")?;
    let settings = session.query("SELECT name, setting FROM pg_settings ORDER BY name")?;
    let mut facts = known;
    facts.version = single(&version).split(' ').next().unwrap_or_default().to_owned();
    // A build that was made here says so already.
    let compiled = compiler(&single(&compiled)).filter(|compiled| !facts.build.contains(compiled));
    facts.build.extend(compiled);
    facts.settings = pairs(settings).filter(|(name, _)| !LEFT_OUT.contains(&name.as_str())).collect();
    facts.settings.sort();
    Ok(facts)
}

/// `gcc (GCC) 7.5` of `PostgreSQL 17.7 on x86_64-…, compiled by gcc (GCC) 7.5, 64-bit`.
fn compiler(version: &str) -> Option<String> {
    let (_, after) = version.split_once("compiled by ")?;
    Some(format!("compiled by {}", after.rsplit_once(", ").map_or(after, |(compiler, _)| compiler)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_compiler() {
        let text = "PostgreSQL 17.7 on x86_64-pc-linux-gnu, compiled by gcc (Ubuntu 7.5.0) 7.5.0, 64-bit";
        assert_eq!(compiler(text).as_deref(), Some("compiled by gcc (Ubuntu 7.5.0) 7.5.0"));
        assert_eq!(compiler("something else"), None);
        assert!(LEFT_OUT.is_sorted());
    }
}

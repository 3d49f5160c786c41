//! What an upgrade needs to know of a running server, and the program that dumps its database.

use humdrum_contract::{DumpProgram, Outcome, SqlSession, Survey, number_at};
use humdrum_engine_kit::{Login, single};

/// What someone chose: in the configuration, for the database or for the user. Values are as `SHOW` has them, with their units.
const CHOSEN: &str = "SELECT name, current_setting(name), category FROM pg_settings \
     WHERE source NOT IN ('default', 'override', 'client', 'session', 'environment variable', 'interactive') \
     AND context <> 'internal' ORDER BY name";

/// Beginnings of the categories whose settings another server can have as well.
const PORTABLE: [&str; 2] = ["Query Tuning", "Write-Ahead Log / Settings"];
/// Such settings in other categories.
const PORTABLE_TOO: [&str; 8] = [
    "default_toast_compression",
    "default_transaction_isolation",
    "hash_mem_multiplier",
    "max_parallel_workers",
    "max_parallel_workers_per_gather",
    "temp_buffers",
    "vacuum_buffer_usage_limit",
    "work_mem",
];

/// Asks for version, size and settings.
///
/// # Errors
/// Crash, timeout, or what the server says.
pub(crate) fn ask(session: &mut dyn SqlSession) -> Outcome<Survey> {
    let version = single(&session.query("SHOW server_version")?);
    let bytes = session.query("SELECT pg_database_size(current_database())")?;
    let mut survey = Survey {
        version: version.split(' ').next().unwrap_or_default().to_owned(),
        bytes: number_at(&bytes, 0).unwrap_or(0.0).max(0.0) as u64,
        ..Survey::default()
    };
    for row in session.query(CHOSEN)? {
        let [Some(name), Some(value), Some(category)] = &row[..] else { continue };
        let tuning = PORTABLE.iter().any(|start| category.starts_with(start));
        if tuning || PORTABLE_TOO.contains(&name.as_str()) {
            survey.chosen.push((name.clone(), value.clone()));
        } else {
            survey.others.push(name.clone());
        }
    }
    Ok(survey)
}

/// `pg_dump`, which takes the URL as it is.
pub(crate) fn dump_program(login: &Login, url: &str) -> DumpProgram {
    let arguments = ["--format=custom", "--no-owner", "--no-privileges", "--no-password", "--dbname"];
    let arguments = arguments.into_iter().map(str::to_owned).chain([url.to_owned()]).collect();
    let password = (!login.password.is_empty()).then(|| ("PGPASSWORD".to_owned(), login.password.clone()));
    DumpProgram {
        names: &["pg_dump"],
        arguments,
        environment: password.into_iter().collect(),
        extension: "dump",
        typed: format!("pg_dump -Fc -f shop.dump '{url}'"),
    }
}

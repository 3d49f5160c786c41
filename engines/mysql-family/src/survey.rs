//! What an upgrade needs to know of a running server, and the program that dumps its database.

use humdrum_contract::{DumpProgram, Outcome, SqlSession, Survey, number_at};
use humdrum_engine_kit::{Login, pairs};
use humdrum_model::Fault;
use humdrum_mysql_session::Session;
use humdrum_transport::Endpoint;

use crate::facts::plain;
use crate::flavour::Flavour;

/// What someone chose, where the release can tell: MySQL from 8.0 on, MariaDB from 10.1 on.
const CHOSEN: [&str; 2] = [
    "SELECT v.variable_name, v.variable_value FROM performance_schema.global_variables v \
     JOIN performance_schema.variables_info i USING (variable_name) \
     WHERE i.variable_source NOT IN ('COMPILED', 'DYNAMIC') ORDER BY 1",
    "SELECT LOWER(variable_name), global_value FROM information_schema.system_variables \
     WHERE global_value_origin IN ('CONFIG', 'SQL') ORDER BY 1",
];

/// Beginnings of settings that another server can have as well.
const PORTABLE: [&str; 23] = [
    "character_set_server",
    "collation_server",
    "eq_range_index_dive_limit",
    "histogram",
    "innodb_adaptive_hash_index",
    "innodb_change_buffering",
    "innodb_doublewrite",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_method",
    "innodb_stats",
    "join_buffer_size",
    "join_cache",
    "max_heap_table_size",
    "mrr_buffer_size",
    "optimizer_",
    "read_buffer_size",
    "read_rnd_buffer_size",
    "sort_buffer_size",
    "sql_mode",
    "sync_binlog",
    "tmp_table_size",
    "transaction_isolation",
    "tx_isolation",
];

const BYTES: &str = "SELECT CAST(COALESCE(SUM(data_length + index_length), 0) AS UNSIGNED) \
     FROM information_schema.tables WHERE table_schema = DATABASE()";

/// Asks for version, size and settings.
///
/// # Errors
/// Usage, when it is a server of the other engine; crash, timeout, or what the server says.
pub(crate) fn ask(flavour: &Flavour, session: &mut Session) -> Outcome<Survey> {
    let said = session.server_version().to_owned();
    if !(flavour.is_of)(&said) {
        let what = format!("this server is not {}: it says {said}", flavour.profile.title);
        return Err(Fault::usage(what).hint("MySQL is written mysql://…, MariaDB mariadb://…"));
    }
    let bytes = session.query(BYTES)?;
    let mut survey = Survey {
        version: plain(&said).to_owned(),
        bytes: number_at(&bytes, 0).unwrap_or(0.0).max(0.0) as u64,
        ..Survey::default()
    };
    // A release that has neither table does not tell what was chosen.
    let chosen = CHOSEN.iter().find_map(|sql| session.query(sql).ok());
    for (name, value) in chosen.map(pairs).into_iter().flatten() {
        let name = name.to_ascii_lowercase();
        if PORTABLE.iter().any(|start| name.starts_with(start)) {
            survey.chosen.push((name, value));
        } else {
            survey.others.push(name);
        }
    }
    Ok(survey)
}

/// `mysqldump` or `mariadb-dump`: one database, in one transaction, without locks.
pub(crate) fn dump_program(flavour: &Flavour, login: &Login, url: &str) -> DumpProgram {
    let mut arguments = ["--single-transaction", "--skip-lock-tables", "--hex-blob", "--no-tablespaces"]
        .map(str::to_owned)
        .to_vec();
    match &login.endpoint {
        Endpoint::Unix(path) => arguments.push(format!("--socket={}", path.display())),
        Endpoint::Tcp(host, port) => {
            arguments.extend([
                format!("--host={host}"),
                format!("--port={port}"),
                "--protocol=tcp".to_owned(),
            ]);
        }
    }
    arguments.push(format!("--user={}", login.user));
    arguments.push(login.database.clone());
    let password = (!login.password.is_empty()).then(|| ("MYSQL_PWD".to_owned(), login.password.clone()));
    let names: &'static [&'static str] = match flavour.profile.name {
        "mysql" => &["mysqldump", "mariadb-dump"],
        _ => &["mariadb-dump", "mysqldump"],
    };
    DumpProgram {
        names,
        arguments,
        environment: password.into_iter().collect(),
        extension: "sql",
        typed: format!("{} --single-transaction --hex-blob … > shop.sql, for {url}", names[0]),
    }
}

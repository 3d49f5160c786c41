//! MySQL 5.5 to 9.7: its releases, its configurations, and what differs between them. Code shared with
//! MariaDB is in `mysql-family`, code of all engines with servers in `kit`. README.md of this crate is for
//! users.

mod configurations;
mod recipe;

use std::sync::LazyLock;

use humdrum_engine_kit::{Catalogue, Entry, Folders, Options, Profile, SqlEngine, Version, parse_catalogue};
use humdrum_engine_mysql_family::{
    APART, CATALOGUE, FOLDERS, FirstLife, Flavour, OPTIONS, PASSWORDS, STARTING, TOUCHES, TellsRows,
    shared_bytes,
};
use humdrum_model::{CopyTimings, Timings};

/// The engine.
pub const ENGINE: SqlEngine<Flavour> = SqlEngine(&MYSQL);

/// A third of what three servers took together on two processors, as told by
/// `humdrum compare mysql@5.6.14 mysql@8.0.33 mysql@9.7 --tests point-query,update-index --budget 3m -v`:
/// load 2.1 s, end 0.25 s, copy 0.45 s, start, read in and check 2.6 s; the settling 3.4 to 4.2 s. That one is mostly
/// waiting: a server looks for pages to flush once a second, and 5.6 flushes them only when it has idled for another.
const TIMINGS: Timings = Timings {
    create_seconds: 5.0,
    restart_seconds: 0.8,
    load_seconds_per_row: 7.0e-6,
    copy: Some(CopyTimings { seconds: 0.15, seconds_per_row: 2.5e-6 }),
    settle_seconds: 1.3,
    settle_seconds_per_row: 0.0,
};

static MYSQL: Flavour = Flavour {
    profile: Profile {
        name: "mysql",
        title: "MySQL",
        about: "MySQL 5.5 to 9.7; a release, a folder of an installed build, or a running server by URL",
        timings: TIMINGS,
        cache_bytes: |sizing| shared_bytes(sizing, &configurations::RESERVE),
        reserve: configurations::RESERVE,
        catalogue: Catalogue { releases, ..CATALOGUE },
        folders: Folders {
            hint: "name the folder that holds bin/mysqld or sbin/mysqld: mysql@/opt/mysql",
            ..FOLDERS
        },
        options: Options {
            named: &configurations::NAMED,
            default: configurations::default,
            common: configurations::common,
            ..OPTIONS
        },
        starting: STARTING,
        passwords: PASSWORDS,
        touches: TOUCHES,
        apart: APART,
    },
    recipe: &recipe::RECIPE,
    names: &["mysql"],
    is_of: |version| !version.contains("MariaDB"),
    first_life,
    accounts,
    tells_rows,
    closed: configurations::CLOSED,
};

fn releases() -> &'static [Entry] {
    static ENTRIES: LazyLock<Vec<Entry>> =
        LazyLock::new(|| parse_catalogue(include_str!("releases.tsv"), packages));
    &ENTRIES
}

/// The pinned packages of Debian's releases.
fn packages(release: &str) -> &'static str {
    match release {
        "9.7.4" => include_str!("debian/9.7.4.tsv"),
        _ => "",
    }
}

fn tells_rows(version: Version) -> TellsRows {
    match version >= Version(8, 0, 18) {
        true => TellsRows::Tree,
        false => TellsRows::Not("MySQL tells them from 8.0.18 on"),
    }
}

/// 5.7 makes its own data. Before, the statements of the build's own files did it; anonymous and remote accounts,
/// which those make, are taken out while they are rows of a table still.
fn first_life(version: Version) -> FirstLife {
    if version >= Version(5, 7, 6) {
        return FirstLife::Initialise;
    }
    FirstLife::Bootstrap {
        before: "CREATE DATABASE mysql;\nUSE mysql;\n",
        files: &["mysql_system_tables.sql", "mysql_system_tables_data.sql"],
        after: "DELETE FROM user WHERE User='' OR Host<>'localhost';\n",
    }
}

/// The account's way to log in is as old as the release allows for: `caching_sha2_password` asks more of a client.
fn accounts(version: Version, password: &str) -> Vec<String> {
    let mut statements = vec![
        "SET SESSION sql_log_bin=0".to_owned(),
        "CREATE DATABASE IF NOT EXISTS humdrum CHARACTER SET latin1".to_owned(),
    ];
    if version < Version(5, 7, 6) {
        let all = "GRANT ALL ON *.* TO 'humdrum'@'localhost'";
        statements.push(format!("{all} IDENTIFIED BY '{password}' WITH GRANT OPTION"));
        statements.push(format!("SET PASSWORD FOR 'root'@'localhost' = PASSWORD('{password}')"));
        return statements;
    }
    let by = if version >= Version(9, 0, 0) { "BY" } else { "WITH mysql_native_password BY" };
    statements.push(format!("CREATE USER IF NOT EXISTS 'humdrum'@'localhost' IDENTIFIED {by} '{password}'"));
    statements.push("GRANT ALL ON *.* TO 'humdrum'@'localhost' WITH GRANT OPTION".to_owned());
    statements.push(format!("ALTER USER 'root'@'localhost' IDENTIFIED {by} '{password}'"));
    if version >= Version(9, 6, 0) {
        // MD5() is in it since, and contents are compared by MD5. Last, because it cannot be said twice.
        statements.push("INSTALL COMPONENT 'file://component_classic_hashing'".to_owned());
    }
    statements
}

#[cfg(test)]
mod tests;

//! MariaDB 10.1 to 11.8: its releases, its configurations, and what differs between them. Code shared with
//! MySQL is in `mysql-family`, code of all engines with servers in `kit`. README.md of this crate is for
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
pub const ENGINE: SqlEngine<Flavour> = SqlEngine(&MARIADB);

/// Half of what two servers took together on two processors, as told by
/// `humdrum compare mariadb@10.11 mariadb@11.8 --tests update-index --sessions 4 --budget 60s -v`: load 1.4 s, start, read
/// in and check 1.7 s, the settling 1.2 s; what it is to make and to copy them the first time is reckoned, not measured.
const TIMINGS: Timings = Timings {
    create_seconds: 4.0,
    restart_seconds: 0.5,
    load_seconds_per_row: 6.0e-6,
    copy: Some(CopyTimings { seconds: 0.15, seconds_per_row: 2.5e-6 }),
    settle_seconds: 0.7,
    settle_seconds_per_row: 0.0,
};

static MARIADB: Flavour = Flavour {
    profile: Profile {
        name: "mariadb",
        title: "MariaDB",
        about: "MariaDB 10.1 to 11.8; a release, a folder of an installed build, or a running server by URL",
        timings: TIMINGS,
        cache_bytes: |sizing| shared_bytes(sizing, &configurations::RESERVE),
        reserve: configurations::RESERVE,
        catalogue: Catalogue { releases, ..CATALOGUE },
        folders: Folders {
            hint: "name the folder that holds bin/mysqld or sbin/mysqld: mariadb@/opt/mariadb",
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
    names: &["mariadb", "mysql"],
    is_of: |version| version.contains("MariaDB"),
    first_life,
    accounts,
    tells_rows: |_| TellsRows::Table,
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
        "10.5.23" => include_str!("debian/10.5.23.tsv"),
        "10.11.19" => include_str!("debian/10.11.19.tsv"),
        "11.8.6" => include_str!("debian/11.8.6.tsv"),
        "11.8.9" => include_str!("debian/11.8.9.tsv"),
        _ => "",
    }
}

/// The statements of the build's own files; files have been renamed since, and some are newer than 10.1. Anonymous
/// and remote accounts, which those make, are taken out while they are rows of a table still: `user` until 10.3,
/// `global_priv` since.
fn first_life(version: Version) -> FirstLife {
    let before = "CREATE DATABASE IF NOT EXISTS mysql;\nUSE mysql;\n\
                  SET @auth_root_socket=NULL;\nSET @skip_auth_anonymous=1;\n";
    let after = if version >= Version(10, 4, 0) {
        "DELETE FROM global_priv WHERE User='' OR Host<>'localhost';\n"
    } else {
        "DELETE FROM user WHERE User='' OR Host<>'localhost';\n"
    };
    let files = &[
        "mysql_system_tables.sql|mariadb_system_tables.sql",
        "?mysql_performance_tables.sql|mariadb_performance_tables.sql",
        "mysql_system_tables_data.sql|mariadb_system_tables_data.sql",
    ];
    FirstLife::Bootstrap { files, before, after }
}

fn accounts(_version: Version, password: &str) -> Vec<String> {
    [
        "SET SESSION sql_log_bin=0",
        "CREATE DATABASE IF NOT EXISTS humdrum CHARACTER SET latin1",
        &format!("GRANT ALL ON *.* TO 'humdrum'@'localhost' IDENTIFIED BY '{password}' WITH GRANT OPTION"),
        &format!("SET PASSWORD FOR 'root'@'localhost' = PASSWORD('{password}')"),
    ]
    .map(str::to_owned)
    .to_vec()
}

#[cfg(test)]
mod tests;

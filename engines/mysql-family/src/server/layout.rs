//! What lies where in a server's folder, and making it.
//!
//! ```text
//! <home>/data/         tables, logs of changes
//! <home>/program/      the build, its program copied anew for each start
//! <home>/kept/         a copy of data, once there is one
//! <home>/tmp/          what the server spills
//! <home>/s/            the socket, unless that path would be too long
//! <home>/my.cnf        its options
//! <home>/password      the account's, generated
//! <home>/first.sql     statements that make the account; gone after the first start
//! <home>/init.log      what was said while the data was made
//! <home>/server.log    what the server says
//! ```

use std::path::{Path, PathBuf};

use humdrum_contract::Outcome;
use humdrum_provision::{run_folder, secret};

use crate::install::Build;
use crate::settings::{self, lines_for};
use crate::{parts, url};

/// The lab's account.
pub(crate) const USER: &str = "humdrum";
/// The schema that its sessions begin in.
pub(crate) const DATABASE: &str = url::SCHEMA;

const SOCKET: &str = "mysql.sock";

pub(crate) fn data(home: &Path) -> PathBuf {
    home.join("data")
}

/// What the server runs from.
pub(crate) fn program(home: &Path) -> PathBuf {
    home.join("program")
}

pub(crate) fn kept(home: &Path) -> PathBuf {
    home.join("kept")
}

pub(crate) fn log(home: &Path) -> PathBuf {
    home.join("server.log")
}

pub(crate) fn options(home: &Path) -> PathBuf {
    home.join("my.cnf")
}

pub(crate) fn first_statements(home: &Path) -> PathBuf {
    home.join("first.sql")
}

/// Makes folders, account and options; returns the password and the socket.
pub(super) fn create(build: &Build, home: &Path, given: &[(String, String)]) -> Outcome<(String, PathBuf)> {
    let password = secret::make_password(&home.join("password"), build.run_as)?;
    let socket = run_folder::socket_folder(home, SOCKET, build.run_as)?.join(SOCKET);
    run_folder::make_private(&home.join("tmp"), build.run_as)?;
    let accounts = (build.flavour.accounts)(build.version, &password);
    // The server reads one statement a line, and no more of a line than fits its buffer.
    let text = accounts.iter().map(|statement| format!("{statement};\n")).collect::<String>();
    secret::write_private(&first_statements(home), &text, build.run_as)?;
    secret::write_private(&options(home), &option_file(build, home, &socket, given), build.run_as)?;
    Ok((password, socket))
}

/// Where the server is comes last: nothing else may have a say in it.
fn option_file(build: &Build, home: &Path, socket: &Path, given: &[(String, String)]) -> String {
    let path = |path: &Path| path.display().to_string();
    let mut place = vec![
        ("basedir".to_owned(), path(&build.folder)),
        ("datadir".to_owned(), path(&data(home))),
        ("tmpdir".to_owned(), path(&home.join("tmp"))),
        ("socket".to_owned(), path(socket)),
        ("pid_file".to_owned(), path(&home.join("server.pid"))),
    ];
    if let Some(share) = parts::share(&build.folder) {
        // Under its older name as well as its newer one: `lc_messages_dir` is as old as 5.5.
        place.push(("lc_messages_dir".to_owned(), path(&share)));
        if share.join("charsets").is_dir() {
            place.push(("character_sets_dir".to_owned(), path(&share.join("charsets"))));
        }
    }
    if let Some(plugins) = parts::plugins(&build.folder) {
        place.push(("plugin_dir".to_owned(), path(&plugins)));
    }
    place.extend(lines_for(build.flavour.closed, build.version));
    format!("[mysqld]\n{}\n# Where the server is:\n{}", settings::as_text(given), settings::as_text(&place))
}

//! What lies where in a server's folder, and making it.
//!
//! ```text
//! <home>/data/         the cluster
//! <home>/program/      the build, its program copied anew for each start
//! <home>/kept/         a copy of it, once there is one
//! <home>/s/            the socket, unless that path would be too long
//! <home>/password      the superuser's, generated
//! <home>/server.log    what the server says
//! <home>/initdb.log    what initdb said
//! ```

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use humdrum_provision::guardian::{Guarded, describe_exit};
use humdrum_provision::{logs, run_folder, secret};

use crate::catalogue;
use crate::install::Build;

use super::guard_spec;

pub(crate) const PORT: u16 = 5432;
pub(crate) const SOCKET: &str = ".s.PGSQL.5432";
pub(crate) const USER: &str = "humdrum";
pub(crate) const DATABASE: &str = "postgres";

/// Half a second is usual; a slow disk must not be taken for a hang.
const INITDB_WITHIN: Duration = Duration::from_secs(300);

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

pub(crate) fn password_file(home: &Path) -> PathBuf {
    home.join("password")
}

/// Makes the cluster and its configuration; returns the password and the socket's folder.
pub(super) fn create(build: &Build, home: &Path, given: &[(String, String)]) -> Outcome<(String, PathBuf)> {
    let password = secret::make_password(&password_file(home), build.run_as)?;
    let sockets = run_folder::socket_folder(home, SOCKET, build.run_as)?;
    initdb(build, home)?;
    let file = data(home).join("postgresql.conf");
    let text = configuration(&sockets, given);
    let appended =
        OpenOptions::new().append(true).open(&file).and_then(|mut file| file.write_all(text.as_bytes()));
    appended.map_err(|error| refused("write", &file, &error))?;
    Ok((password, sockets))
}

/// initdb with all that differs between releases by default said outright: locale, encoding, checksums, and a
/// password for the socket too.
fn initdb(build: &Build, home: &Path) -> Outcome<()> {
    let log_file = home.join("initdb.log");
    let method = if catalogue::major(&build.release) < 10 { "md5" } else { "scram-sha-256" };
    let mut args = vec!["-D".into(), data(home).into_os_string(), "-U".into(), USER.into()];
    args.extend(["--pwfile".into(), password_file(home).into_os_string()]);
    args.extend(["-A", method, "--no-locale", "-E", "UTF8", "--data-checksums"].map(Into::into));
    let mut run = Guarded::spawn(&guard_spec(build, home, "initdb", args, &log_file))?;
    let status = run.wait(INITDB_WITHIN).map_err(|fault| with_log(fault, &log_file))?;
    if status.success() {
        return Ok(());
    }
    let fault =
        Fault::crash(format!("initdb of postgres {} failed: {}", build.release, describe_exit(status)));
    Err(with_log(fault, &log_file))
}

/// The lines after initdb's own: where the server is first, then what makes it comparable.
fn configuration(sockets: &Path, given: &[(String, String)]) -> String {
    let ours = [
        ("listen_addresses", String::new()),
        ("unix_socket_directories", sockets.display().to_string()),
        ("unix_socket_permissions", "0700".to_owned()),
        ("port", "5432".to_owned()),
        ("logging_collector", "off".to_owned()),
        ("log_destination", "stderr".to_owned()),
    ];
    let mut text = String::from("\n# From here on: humdrum.\n");
    let ours = ours.iter().map(|(key, value)| (*key, value.as_str()));
    for (key, value) in ours.chain(given.iter().map(|(key, value)| (key.as_str(), value.as_str()))) {
        let _ = writeln!(text, "{key} = '{}'", value.replace('\\', "\\\\").replace('\'', "''"));
    }
    text
}

fn with_log(fault: Fault, log_file: &Path) -> Fault {
    match logs::tail(log_file) {
        Some(tail) => fault.log(tail),
        None => fault,
    }
}

fn refused(verb: &str, path: &Path, error: &std::io::Error) -> Fault {
    Fault::environment(format!("cannot {verb} {}: {error}", path.display()))
}

/// The log so far: everything since the server was made.
pub(crate) fn whole_log(home: &Path) -> String {
    fs::read(log(home)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_and_ours_come_first() {
        let given = [("search_path".to_owned(), "a'b\\c".to_owned())];
        let text = configuration(Path::new("/run/it's"), &given);
        assert!(text.contains("unix_socket_directories = '/run/it''s'\n"));
        assert!(text.ends_with("search_path = 'a''b\\\\c'\n"));
        assert!(text.contains("listen_addresses = ''\n"));
    }

    #[test]
    fn passwords_are_private_and_never_the_same() {
        use std::os::unix::fs::PermissionsExt;
        let passwords = [(); 2].map(|()| {
            let home = tempfile::tempdir().expect("home");
            let password = secret::make_password(&password_file(home.path()), None).expect("password");
            let meta = fs::metadata(password_file(home.path())).expect("meta");
            assert_eq!(meta.permissions().mode() & 0o777, 0o600);
            password
        });
        assert_ne!(passwords[0], passwords[1]);
        assert_eq!(passwords[0].len(), 32);
    }
}

//! Makes a server's data and configuration, and checks that the release accepts them.
//!
//! ```text
//! <home>/initdb.log     what initdb said
//! <home>/settings.log   what the server said of its configuration
//! ```

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use humdrum_contract::Outcome;
use humdrum_engine_kit::{Command, Instance, with_log};
use humdrum_model::Fault;
use humdrum_provision::guardian::describe_exit;
use humdrum_provision::logs;
use humdrum_transport::Endpoint;

use crate::folders::INITDB;
use crate::log;
use crate::postgres::PORT;

/// Half a second is usual; a slow disk must not be taken for a hang.
const INITDB_WITHIN: Duration = Duration::from_secs(300);
const CHECK_WITHIN: Duration = Duration::from_secs(30);

/// Makes data and configuration.
///
/// # Errors
/// Usage, naming the setting and the release; environment or crash otherwise.
pub(crate) fn make(instance: &Instance) -> Outcome<()> {
    initdb(instance)?;
    let file = instance.data().join("postgresql.conf");
    let text = configuration(instance);
    let appended =
        OpenOptions::new().append(true).open(&file).and_then(|mut file| file.write_all(text.as_bytes()));
    appended.map_err(|error| Fault::environment(format!("cannot write {}: {error}", file.display())))?;
    check(instance)
}

/// How the server is called, on its data.
pub(crate) fn server(instance: &Instance, args: &[&str]) -> Command {
    let data = ["-D".into(), instance.data().into_os_string()];
    let args = data.into_iter().chain(args.iter().map(OsString::from)).collect();
    Command { args, env: Vec::new() }
}

/// initdb with all that differs between releases by default said outright: locale, encoding, checksums, and a
/// password for the socket too.
fn initdb(instance: &Instance) -> Outcome<()> {
    let build = &instance.build;
    let log_file = instance.home.join("initdb.log");
    let method = if build.version.0 < 10 { "md5" } else { "scram-sha-256" };
    let mut command = server(instance, &["-U", &instance.login.user, "--pwfile"]);
    command.args.push(instance.password_file().into_os_string());
    command.args.extend(["-A", method, "--no-locale", "-E", "UTF8", "--data-checksums"].map(Into::into));
    let program = build.program.with_file_name(INITDB);
    let status = instance.run(&program, command, None, &log_file, INITDB_WITHIN)?;
    if status.success() {
        return Ok(());
    }
    let fault = Fault::crash(format!("initdb of {} failed: {}", build.name, describe_exit(status)));
    Err(with_log(fault, &log_file))
}

/// The lines after initdb's own: where the server is first, then what makes it comparable.
fn configuration(instance: &Instance) -> String {
    let (address, sockets, port) = match &instance.login.endpoint {
        Endpoint::Unix(socket) => {
            let folder = socket.parent().unwrap_or(Path::new("/")).display().to_string();
            ("", folder, PORT)
        }
        Endpoint::Tcp(host, port) => (host.as_str(), String::new(), *port),
    };
    let port = port.to_string();
    let ours = [
        ("listen_addresses", address),
        ("unix_socket_directories", &sockets),
        ("unix_socket_permissions", "0700"),
        ("port", &port),
        ("logging_collector", "off"),
        ("log_destination", "stderr"),
    ];
    let mut text = String::from("\n# From here on: humdrum.\n");
    let given = instance.given_to_server().map(|(key, value)| (key.as_str(), value.as_str()));
    for (key, value) in ours.into_iter().chain(given) {
        let _ = writeln!(text, "{key} = '{}'", value.replace('\\', "\\\\").replace('\'', "''"));
    }
    text
}

/// Makes `postgres -C` read the configuration before any server is started: an unknown option is then the user's typing
/// error and not a crash.
fn check(instance: &Instance) -> Outcome<()> {
    let build = &instance.build;
    let log_file = instance.home.join("settings.log");
    let command = server(instance, &["-C", "max_connections"]);
    let status = instance.run(&build.program, command, None, &log_file, CHECK_WITHIN)?;
    let said = logs::whole(&log_file);
    // Some releases only warn of a name that they do not know and go on.
    match log::complaint(&said) {
        Some(complaint) => Err(instance.refused(&complaint)),
        None if status.success() => Ok(()),
        None => Err(Fault::crash(format!("{} cannot read its configuration", build.name)).log(said)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use humdrum_engine_kit::testing::unmade;

    #[test]
    fn values_are_quoted_and_ours_come_first() {
        let mut instance = unmade("postgres", "17.7");
        instance.given = vec![("search_path".to_owned(), "a'b\\c".to_owned())];
        instance.login.endpoint = Endpoint::Unix("/run/it's/.s.PGSQL.5432".into());
        let text = configuration(&instance);
        assert!(text.contains("unix_socket_directories = '/run/it''s'\n"));
        assert!(text.ends_with("search_path = 'a''b\\\\c'\n"));
        assert!(text.contains("listen_addresses = ''\n") && text.contains("port = '5432'\n"));
    }

    #[test]
    fn a_client_over_tcp_has_a_port_and_no_socket() {
        let mut instance = unmade("postgres", "17.7");
        let client = ("client_connection".to_owned(), "tcp".to_owned());
        instance.given = vec![("work_mem".to_owned(), "4MB".to_owned()), client.clone()];
        instance.login.client = vec![client];
        instance.login.endpoint = Endpoint::Tcp("127.0.0.1".into(), 40_001);
        let text = configuration(&instance);
        for line in ["listen_addresses = '127.0.0.1'", "unix_socket_directories = ''", "port = '40001'"] {
            assert!(text.contains(&format!("{line}\n")), "{text}");
        }
        assert!(text.contains("work_mem") && !text.contains("client_connection"), "{text}");
    }
}

//! Files in a server's folder beside those that all servers have, and how they are made.
//!
//! ```text
//! <home>/tmp/          what the server spills
//! <home>/my.cnf        its options
//! <home>/first.sql     statements that make the account; gone after the first start
//! <home>/init.log      what was said while the data was made
//! ```

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use humdrum_contract::Outcome;
use humdrum_engine_kit::{Command, Instance, lines_for};
use humdrum_model::Fault;
use humdrum_provision::{run_folder, secret};
use humdrum_transport::Endpoint;

use crate::flavour::Flavour;
use crate::parts;

/// The server's options.
pub(crate) fn path(home: &Path) -> PathBuf {
    home.join("my.cnf")
}

/// Statements that make the account.
pub(crate) fn first_statements(home: &Path) -> PathBuf {
    home.join("first.sql")
}

/// Makes the account's statements and the options.
///
/// # Errors
/// Environment.
pub(crate) fn create(flavour: &Flavour, instance: &Instance) -> Outcome<()> {
    let Instance { build, home, login, .. } = instance;
    run_folder::make_private(&home.join("tmp"), build.run_as)?;
    let accounts = (flavour.accounts)(build.version, &login.password);
    // The server reads one statement a line, and no more of a line than fits its buffer.
    let text = accounts.iter().map(|statement| format!("{statement};\n")).collect::<String>();
    secret::write_private(&first_statements(home), &text, build.run_as)?;
    let Endpoint::Unix(socket) = login.socket.as_ref().unwrap_or(&login.endpoint) else {
        return Err(Fault::environment("a server of ours listens at a socket file"));
    };
    secret::write_private(&path(home), &text_of(flavour, instance, socket), build.run_as)
}

/// How the server is called. The option file comes first: servers look for it nowhere else, and so at no file of this
/// host.
pub(crate) fn command(instance: &Instance, args: &[&str]) -> Command {
    let options = format!("--defaults-file={}", path(&instance.home).display());
    let args = std::iter::once(options.into()).chain(args.iter().map(Into::into)).collect();
    let libraries = parts::library_path(&instance.build.root);
    let env = (!libraries.is_empty()).then(|| ("LD_LIBRARY_PATH".into(), libraries.into()));
    Command { args, env: env.into_iter().collect() }
}

/// The places of the server come last, so that no other setting can change them.
fn text_of(flavour: &Flavour, instance: &Instance, socket: &Path) -> String {
    let path = |path: &Path| path.display().to_string();
    let (root, home) = (&instance.build.root, &instance.home);
    let mut place = vec![
        ("basedir".to_owned(), path(root)),
        ("datadir".to_owned(), path(&instance.data())),
        ("tmpdir".to_owned(), path(&home.join("tmp"))),
        ("socket".to_owned(), path(socket)),
        ("pid_file".to_owned(), path(&home.join("server.pid"))),
    ];
    if let Some(share) = parts::share(root) {
        // Under its older name as well as its newer one: `lc_messages_dir` is as old as 5.5.
        place.push(("lc_messages_dir".to_owned(), path(&share)));
        if share.join("charsets").is_dir() {
            place.push(("character_sets_dir".to_owned(), path(&share.join("charsets"))));
        }
    }
    if let Some(plugins) = parts::plugins(root) {
        place.push(("plugin_dir".to_owned(), path(&plugins)));
    }
    let closed = lines_for(flavour.closed, instance.build.version).into_iter();
    match &instance.login.endpoint {
        Endpoint::Unix(_) => place.extend(closed),
        Endpoint::Tcp(host, port) => {
            place.extend(closed.filter(|(key, _)| key != "skip_networking"));
            place.extend([("bind_address".to_owned(), host.clone()), ("port".to_owned(), port.to_string())]);
        }
    }
    let given: Vec<(String, String)> = instance.given_to_server().cloned().collect();
    format!("[mysqld]\n{}\n# Where the server is:\n{}", as_text(&given), as_text(&place))
}

/// Settings as lines of an option file.
pub(crate) fn as_text(settings: &[(String, String)]) -> String {
    let mut text = String::new();
    for (key, value) in settings {
        // A server takes any word after `log_bin` for a file's name: OFF would be one.
        let _ = match (key.as_str(), value.to_ascii_uppercase().as_str()) {
            ("log_bin", "OFF" | "0" | "FALSE") => writeln!(text, "skip_log_bin"),
            // Options that older releases take without a value only.
            (key, "") if key.starts_with("skip_") => writeln!(text, "{key}"),
            (key, _) => writeln!(text, "{key}={}", quoted(value)),
        };
    }
    text
}

/// A value as an option file needs it: a backslash is an escape there, and `#` begins a comment.
fn quoted(value: &str) -> String {
    let escaped = value.replace('\\', "\\\\");
    if value.contains(['#', ' ', '\t', '\'', '"']) {
        format!("\"{}\"", escaped.replace('"', "\\\""))
    } else {
        escaped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_files_take_what_is_written() {
        let pairs = [
            ("log_bin", "off"),
            ("skip_name_resolve", ""),
            ("init_file", ""),
            ("sql_mode", "A,B"),
            ("init_connect", "SET @a='#\\'"),
        ];
        let text = as_text(&pairs.map(|(key, value)| (key.to_owned(), value.to_owned())));
        assert_eq!(
            text,
            "skip_log_bin\nskip_name_resolve\ninit_file=\nsql_mode=A,B\ninit_connect=\"SET @a='#\\\\'\"\n"
        );
    }
}

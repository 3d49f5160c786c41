//! Functions of settings that both engines share. The settings themselves are in the engines' folders.

use humdrum_engine_kit::{CLIENT_CONNECTION, Named, Options, Version};
use humdrum_model::Fault;

/// What both engines share; the named configurations, the default and the common settings are each engine's own.
pub const OPTIONS: Options = Options {
    ours: &OURS,
    client: &[(CLIENT_CHARSET, &["latin1", "utf8mb4"]), CLIENT_CONNECTION],
    punctuation: &['_', '-', '.'],
    prefix: "loose_",
    plain,
    names_like: "innodb_io_capacity",
    named: &[],
    default: |_| "",
    common: |_| Vec::new(),
    unknown: |name, names| format!("there are {names}; an option of the server is written +{name}=value"),
    unfit,
};

/// The character set that the lab's client talks in; latin1 if it is not given, as in the reference.
pub(crate) const CLIENT_CHARSET: &str = "client_charset";

/// What the lab sets by itself and a user must not: where the server is and how it is reached.
const OURS: [&str; 26] = [
    "admin_address",
    "basedir",
    "bind_address",
    "bootstrap",
    "chroot",
    "daemonize",
    "datadir",
    "defaults_extra_file",
    "defaults_file",
    "defaults_group_suffix",
    "gdb",
    "init_file",
    "initialize",
    "initialize_insecure",
    "lc_messages_dir",
    "log_error",
    "mysqlx",
    "no_defaults",
    "pid_file",
    "port",
    "secure_file_priv",
    "skip_grant_tables",
    "skip_networking",
    "socket",
    "tmpdir",
    "user",
];

/// Servers take `-` for `_`, and either case.
fn plain(key: &str) -> String {
    key.to_ascii_lowercase().replace('-', "_")
}

fn unfit(engine: &str, named: &Named, version: Version, fitting: &str) -> Fault {
    let what = format!("the configuration `{}` is not for {engine} {version}: {}", named.name, named.about);
    Fault::usage(what).hint(format!("use {fitting}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ours_is_in_order() {
        assert!(OURS.is_sorted());
        assert_eq!(plain("Innodb-IO_capacity"), "innodb_io_capacity");
    }
}

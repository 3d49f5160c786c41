//! Where the parts of a build are. Distributions differ in that, and an installed build may be of any of them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use humdrum_contract::Outcome;
use humdrum_engine_kit::{cache, libraries};
use humdrum_model::Fault;
use humdrum_provision::program::output;

/// Programs that a server may be, nearest first.
const PROGRAMS: [&str; 8] = [
    "bin/mariadbd",
    "bin/mysqld",
    "sbin/mariadbd",
    "sbin/mysqld",
    "libexec/mariadbd",
    "libexec/mysqld",
    "usr/sbin/mariadbd",
    "usr/sbin/mysqld",
];

/// Folders that may hold `english/errmsg.sys`, character sets and the system tables' SQL.
const SHARES: [&str; 7] = [
    "share",
    "share/mysql",
    "share/mariadb",
    "usr/share/mysql",
    "usr/share/mariadb",
    "share/mysql-9.7",
    "usr/share/mysql-9.7",
];

const PLUGINS: [&str; 4] = ["lib/plugin", "lib64/mysql/plugin", "lib/mysql/plugin", "usr/lib/mysql/plugin"];

/// Folders of libraries that come with a build, or were put beside it.
const LIBRARIES: [&str; 4] = [libraries::FOLDER, "lib/private", "lib", "libs"];

/// The server, relative to the build's folder.
pub(crate) fn program(folder: &Path) -> Option<PathBuf> {
    first(folder, &PROGRAMS, |path| path.is_file())
}

/// The folder of messages and character sets, if the build has one.
pub(crate) fn share(folder: &Path) -> Option<PathBuf> {
    first(folder, &SHARES, |path| path.join("english/errmsg.sys").is_file()).map(|below| folder.join(below))
}

/// A file of the build's `share`, by the first of several names that is there.
pub(crate) fn shared_file(folder: &Path, names: &str) -> Option<PathBuf> {
    let shares = SHARES.iter().map(|below| folder.join(below));
    shares.flat_map(|share| names.split('|').map(move |name| share.join(name))).find(|path| path.is_file())
}

/// The folder of plug-ins, if the build has one.
pub(crate) fn plugins(folder: &Path) -> Option<PathBuf> {
    first(folder, &PLUGINS, |path| path.is_dir()).map(|below| folder.join(below))
}

/// Where the loader is to look first, as `LD_LIBRARY_PATH`.
pub(crate) fn library_path(folder: &Path) -> String {
    let there = LIBRARIES.iter().map(|below| folder.join(below)).filter(|path| path.is_dir());
    there.map(|path| path.display().to_string()).collect::<Vec<_>>().join(":")
}

/// What the server says of its version, without any configuration.
pub(crate) fn ask_version(folder: &Path) -> Outcome<Output> {
    let program = program(folder).ok_or_else(|| {
        Fault::environment(format!("{} holds no server", folder.display())).hint(cache::CLEAN)
    })?;
    let program = folder.join(program);
    let mut command = Command::new(&program);
    command.args(["--no-defaults", "--version"]).env_clear().env("LC_ALL", "C");
    command.env("LD_LIBRARY_PATH", library_path(folder));
    output(&mut command)
        .map_err(|error| Fault::environment(format!("cannot start {}: {error}", program.display())))
}

fn first(folder: &Path, names: &[&str], holds: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    names.iter().find(|below| holds(&folder.join(below))).map(PathBuf::from)
}

/// Servers of Debian's packages; each has one of them.
pub(crate) const DEBIAN_PROGRAMS: [&str; 2] = ["usr/sbin/mariadbd", "usr/sbin/mysqld"];

/// What is taken of a Debian package besides libraries.
pub(crate) fn wanted_of_debian(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let english = ["/english/", "/charsets/"].iter().any(|part| text.contains(part));
    let shared = text.starts_with("usr/share/m") && (english || text.ends_with(".sql"));
    DEBIAN_PROGRAMS.contains(&&*text)
        || shared
        || (text.starts_with("usr/lib/mysql/plugin/") && text.ends_with(".so"))
}

/// Where an entry of an artifact goes, if it is needed to run a server: not the tools, the tests, the debug builds.
pub(crate) fn wanted(path: &Path) -> Option<PathBuf> {
    let text = path.to_str()?;
    // One maker keeps a build deep in its jar.
    let text = text.rsplit_once("/linux/").map_or(text, |(_, below)| below).trim_start_matches("./");
    let name = text.rsplit('/').next()?;
    let library = name.contains(".so")
        && !["libmysqlclient", "libmariadb", "libtcmalloc"].iter().any(|no| name.starts_with(no));
    let taken = match text.rsplit_once('/')?.0 {
        "bin" => matches!(name, "mysqld" | "mariadbd"),
        "lib" | "libs" | "lib/plugin" => library,
        "share/english" | "share/charsets" => !name.is_empty(),
        "share" => name.ends_with(".sql") && !name.starts_with("fill_help"),
        folder => folder.starts_with("lib/private") && !name.is_empty(),
    };
    taken.then(|| PathBuf::from(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_what_runs_a_server_and_no_more() {
        let taken = |text: &str| wanted(Path::new(text)).map(|path| path.display().to_string());
        assert_eq!(taken("bin/mysqld").as_deref(), Some("bin/mysqld"));
        let deep = "ch/some/body/mariadb-10.11.5/linux/share/english/errmsg.sys";
        assert_eq!(taken(deep).as_deref(), Some("share/english/errmsg.sys"));
        for path in ["./lib/plugin/a.so", "lib/private/sasl2/b.so", "libs/libaio.so.1", "lib/libssl.so.1.0.0"]
        {
            assert_eq!(taken(path).as_deref(), Some(path.trim_start_matches("./")));
        }
        for path in [
            "bin/mysqld-debug",
            "bin/libssl.so.1.0.0",
            "bin/mysql",
            "lib/plugin/debug/a.so",
            "lib/libmysqlclient.so.21",
            "lib/libmysqld.a",
            "share/fill_help_tables.sql",
            "share/french/errmsg.sys",
            "mysql-test/lib/x.so",
            "README",
        ] {
            assert_eq!(taken(path), None, "{path}");
        }
    }

    #[test]
    fn finds_parts_wherever_a_distribution_puts_them() {
        let folder = tempfile::tempdir().expect("folder");
        let at = |below: &str| folder.path().join(below);
        assert_eq!((program(folder.path()), share(folder.path())), (None, None));
        for file in
            ["usr/sbin/mysqld", "usr/share/mysql/english/errmsg.sys", "usr/share/mysql/new.sql", "lib/x"]
        {
            std::fs::create_dir_all(at(file).parent().expect("parent")).expect("folder");
            std::fs::write(at(file), "").expect("file");
        }
        assert_eq!(program(folder.path()).as_deref(), Some(Path::new("usr/sbin/mysqld")));
        assert_eq!(share(folder.path()), Some(at("usr/share/mysql")));
        assert_eq!(shared_file(folder.path(), "old.sql|new.sql"), Some(at("usr/share/mysql/new.sql")));
        assert_eq!(
            (plugins(folder.path()), library_path(folder.path())),
            (None, at("lib").display().to_string())
        );
    }
}

//! How MariaDB 10.5 and later is built. What it needs of the host is told beforehand, because its own search would fetch some of it
//! and would leave the rest out in silence.

use humdrum_engine_kit::{CMake, Flags, Need, Order, Recipe, Version, needed};
use humdrum_engine_mysql_family::release_in;
use humdrum_provision::building::Step;
use humdrum_provision::sources::Sources;
use humdrum_provision::tools::Tool;

/// For the kit.
pub(crate) static RECIPE: Recipe = Recipe {
    switches: "with_",
    package,
    release,
    made: &["CMakeCache.txt"],
    linked: &[],
    patches: &[],
    cost: None,
    resumes: true,
    tools,
    steps,
};

/// The server, its default engines and InnoDB; compression comes from plug-ins, which are not compiled.
const OPTIONS: [(&str, &str); 21] = [
    ("WITH_LIBAIO", "ON"),
    ("WITH_LIBFMT", "system"),
    ("WITH_PCRE", "system"),
    ("WITH_SSL", "system"),
    ("WITH_ZLIB", "bundled"),
    ("WITH_INNODB_BZIP2", "OFF"),
    ("WITH_INNODB_LZ4", "OFF"),
    ("WITH_INNODB_LZMA", "OFF"),
    ("WITH_INNODB_LZO", "OFF"),
    ("WITH_INNODB_SNAPPY", "OFF"),
    ("WITH_JEMALLOC", "no"),
    ("WITH_NUMA", "OFF"),
    ("WITH_SYSTEMD", "no"),
    ("WITH_UNIT_TESTS", "OFF"),
    ("PLUGIN_COLUMNSTORE", "NO"),
    ("PLUGIN_CONNECT", "NO"),
    ("PLUGIN_MROONGA", "NO"),
    ("PLUGIN_ROCKSDB", "NO"),
    ("PLUGIN_S3", "NO"),
    ("PLUGIN_SPIDER", "NO"),
    // Would ask the network.
    ("UPDATE_SUBMODULES", "OFF"),
];

/// Taken where it is found, and no option of the makers' turns it off.
const NO_URING: (&str, &str) = ("CMAKE_DISABLE_FIND_PACKAGE_URING", "ON");

/// The Performance Schema is a plugin.
const ALIASES: [(&str, &str, &str); 2] =
    [("with_perfschema=off", "PLUGIN_PERFSCHEMA", "NO"), ("with_perfschema=on", "PLUGIN_PERFSCHEMA", "YES")];

/// What switches need.
const NEEDS: [Need; 11] = [
    ("with_innodb_bzip2", "on", "<bzlib.h>", "libbz2-dev"),
    ("with_innodb_lz4", "on", "<lz4.h>", "liblz4-dev"),
    ("with_innodb_lzma", "on", "<lzma.h>", "liblzma-dev"),
    ("with_innodb_lzo", "on", "<lzo/lzo1x.h>", "liblzo2-dev"),
    ("with_innodb_snappy", "on", "<snappy-c.h>", "libsnappy-dev"),
    ("with_jemalloc", "*", "-ljemalloc", "libjemalloc-dev"),
    ("with_libwrap", "on", "<tcpd.h>", "libwrap0-dev"),
    ("with_numa", "on", "<numa.h>", "libnuma-dev"),
    ("with_systemd", "on", "<systemd/sd-daemon.h>", "libsystemd-dev"),
    ("with_uring", "on", "<liburing.h>", "liburing-dev"),
    ("with_zlib", "system", "<zlib.h>", "zlib1g-dev"),
];

/// The parts of a server, named alike in every release.
const INSTALL: &str = "mkdir -p \"$TO/bin\" \"$TO/share/english\"
cp \"$BUILD/sql/mariadbd\" \"$TO/bin/\"
cp \"$BUILD/sql/share/english/errmsg.sys\" \"$TO/share/english/\"
cp -R sql/share/charsets \"$TO/share/\"
cp \"$BUILD\"/scripts/*_system_tables.sql \"$BUILD\"/scripts/*_system_tables_data.sql \"$TO/share/\"
cp \"$BUILD\"/scripts/*_performance_tables.sql \"$TO/share/\"";

/// Debian had a package for each series until 10.6.
fn package(release: &str) -> String {
    let Version(major, minor, _) = Version::of(release);
    match (major, minor) {
        (10, minor @ 1..=6) => format!("mariadb-10.{minor}"),
        _ => "mariadb".to_owned(),
    }
}

/// The makers of MySQL call the same file otherwise, or have no such engine.
fn release(sources: &Sources) -> Option<String> {
    sources.has("storage/maria/CMakeLists.txt").then(|| release_in(sources, "VERSION")).flatten()
}

/// Archives have the parser in C++, repositories its grammar only.
fn tools(sources: &Sources, flags: &Flags) -> Vec<Tool> {
    let mut tools = humdrum_engine_mysql_family::tools(flags);
    tools.push(Tool::new("<fmt/args.h>", "libfmt-dev"));
    tools.push(Tool::new("<pcre2.h>", "libpcre2-dev"));
    if !sources.has("sql/yy_mariadb.cc") {
        tools.push(Tool::new("bison", "bison"));
    }
    tools.extend(needed(flags, &NEEDS));
    tools
}

fn has_uring(flags: &Flags) -> bool {
    flags.switches.iter().any(|(key, value)| key == "with_uring" && value == "on")
}

fn steps(order: &Order<'_>) -> Vec<Step> {
    let no_uring = (!has_uring(order.flags)).then_some(NO_URING);
    let options: Vec<_> = OPTIONS.into_iter().chain(no_uring).collect();
    CMake { options: &options, aliases: &ALIASES, targets: &["mariadbd", "GenError"], install: INSTALL }
        .steps(order)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use humdrum_engine_kit::testing::{commands, installed};

    use super::*;

    fn configured(flags: &Flags) -> String {
        commands(&RECIPE, "11.8.9", flags, "").swap_remove(0)
    }

    #[test]
    fn io_uring_is_used_when_asked_for() {
        let plain = configured(&Flags::default());
        assert!(
            plain.contains(" -DWITH_LIBAIO=ON ")
                && plain.ends_with("=OFF -DCMAKE_DISABLE_FIND_PACKAGE_URING=ON")
        );
        let switches = vec![("with_uring".to_owned(), "on".to_owned())];
        let asked = configured(&Flags { switches, ..Flags::default() });
        assert!(asked.ends_with("-DUPDATE_SUBMODULES=OFF -DWITH_URING=ON"), "{asked}");
    }

    #[test]
    fn what_runs_a_server_is_installed() {
        let project = "cmake_minimum_required(VERSION 3.10)\nproject(toy C CXX)\nadd_subdirectory(sql)\n\
            foreach(of system_tables system_tables_data performance_tables)\n\
            configure_file(scripts/x.sql scripts/mariadb_${of}.sql COPYONLY)\nendforeach()\n";
        let sql = "add_executable(mariadbd mysqld.cc)\nadd_executable(client client.cc)\n\
            add_custom_target(GenError COMMAND ${CMAKE_COMMAND} -E make_directory share/english\n\
            COMMAND ${CMAKE_COMMAND} -E touch share/english/errmsg.sys)\n";
        let files = [
            ("CMakeLists.txt", project),
            ("sql/CMakeLists.txt", sql),
            ("sql/mysqld.cc", "int main() { return 0; }\n"),
            ("sql/client.cc", "#error a client is not compiled\n"),
            ("sql/share/charsets/Index.xml", ""),
            ("scripts/x.sql", ""),
        ];
        let Some(found) = installed(&RECIPE, "11.8.9", &files) else { return };
        let expected = [
            "bin/mariadbd",
            "share/charsets/Index.xml",
            "share/english/errmsg.sys",
            "share/mariadb_performance_tables.sql",
            "share/mariadb_system_tables.sql",
            "share/mariadb_system_tables_data.sql",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn packages_are_named_as_debian_names_them() {
        let names = ["10.5.23", "10.11.18", "11.8", "10.6"].map(package);
        assert_eq!(names, ["mariadb-10.5", "mariadb", "mariadb", "mariadb-10.6"]);
    }

    #[test]
    fn sources_are_known_by_their_version_and_an_engine_of_theirs() {
        let folder = tempfile::tempdir().expect("folder");
        let found = || humdrum_provision::sources::find(folder.path(), None).expect("a folder");
        let write = |below: &str, text: &str| {
            let path = folder.path().join(below);
            std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
            std::fs::write(path, text).expect("write");
        };
        write(
            "VERSION",
            "MYSQL_VERSION_MAJOR=10\nMYSQL_VERSION_MINOR=11\nMYSQL_VERSION_PATCH=18\nSERVER_MATURITY=stable\n",
        );
        assert_eq!(release(&found()), None, "MySQL 5.7 has such a file too");
        write("storage/maria/CMakeLists.txt", "");
        assert_eq!(release(&found()).as_deref(), Some("10.11.18"));
        let bison = |tools: Vec<Tool>| tools.iter().any(|tool| tool.name == "bison");
        assert!(bison(tools(&found(), &Flags::default())));
        write("sql/yy_mariadb.cc", "");
        assert!(!bison(tools(&found(), &Flags::default())));
    }

    #[test]
    fn libraries_of_switches_are_needed_beside_what_all_builds_need() {
        let folder = tempfile::tempdir().expect("folder");
        let sources = humdrum_provision::sources::find(folder.path(), None).expect("a folder");
        let plain = tools(&sources, &Flags::default());
        let switches = [("with_uring", "on"), ("with_jemalloc", "static"), ("with_innodb_lz4", "auto")];
        let switches = switches.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        let more = tools(&sources, &Flags { switches, ..Flags::default() });
        let packages: Vec<&str> = more[plain.len()..].iter().map(|tool| &*tool.package).collect();
        assert_eq!(packages, ["libjemalloc-dev", "liburing-dev"]);
    }

    #[test]
    fn all_patches_are_in_the_recipe() {
        let engine = Path::new(env!("CARGO_MANIFEST_DIR"));
        humdrum_engine_kit::testing::patches_are_listed(&RECIPE, engine);
    }
}

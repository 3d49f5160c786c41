//! How MySQL 8.0 and later is built: from its own copies of libraries, where it has them.

use humdrum_engine_kit::{CMake, Cost, Flags, Need, Order, Recipe, Version, needed};
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
    // Of 9.7.2 by clang 22.1 on Zen 3: 174 minutes of processor time for 2,405 of 2,699 steps, beside other work, and then two processors for
    // 987 s. Its sources are 1,211 MiB; the size of all objects is a guess.
    cost: Some(Cost { processor_minutes: 200, disk_mib: 2500 }),
    resumes: true,
    tools,
    steps,
};

/// The server without what it would open ports for, and without plug-ins for directories of users.
const OPTIONS: [(&str, &str); 14] = [
    ("WITH_SSL", "system"),
    ("WITH_EDITLINE", "bundled"),
    ("WITH_LZ4", "bundled"),
    ("WITH_ZLIB", "bundled"),
    ("WITH_ZSTD", "bundled"),
    ("WITH_CURL", "none"),
    ("WITH_FIDO", "none"),
    ("WITH_KERBEROS", "none"),
    ("WITH_GROUP_REPLICATION", "OFF"),
    ("WITH_MYSQLX", "OFF"),
    ("WITH_NDB", "OFF"),
    ("WITH_NUMA", "OFF"),
    ("WITH_ROUTER", "OFF"),
    ("WITH_UNIT_TESTS", "OFF"),
];

/// The Performance Schema itself cannot be left out, its instrumentation can.
const ALIASES: [(&str, &str, &str); 1] = [("with_perfschema=off", "DISABLE_ALL_PSI", "ON")];

/// What switches need. `system` takes the host's library where the makers' own copy is the default.
const NEEDS: [Need; 19] = [
    ("with_curl", "system", "<curl/curl.h>", "libcurl4-openssl-dev"),
    ("with_editline", "system", "<editline/readline.h>", "libedit-dev"),
    ("with_fido", "system", "<fido.h>", "libfido2-dev"),
    ("with_icu", "system", "<unicode/uversion.h>", "libicu-dev"),
    ("with_jemalloc", "on", "-ljemalloc", "libjemalloc-dev"),
    ("with_kerberos", "system", "<krb5.h>", "libkrb5-dev"),
    ("with_ldap", "system", "<ldap.h>", "libldap-dev"),
    ("with_libevent", "system", "<event2/event.h>", "libevent-dev"),
    ("with_lz4", "system", "<lz4.h>", "liblz4-dev"),
    ("with_numa", "on", "<numa.h>", "libnuma-dev"),
    ("with_protobuf", "system", "<google/protobuf/message.h>", "libprotobuf-dev"),
    ("with_protobuf", "system", "protoc", "protobuf-compiler"),
    ("with_rapidjson", "system", "<rapidjson/document.h>", "rapidjson-dev"),
    ("with_sasl", "system", "<sasl/sasl.h>", "libsasl2-dev"),
    ("with_systemd", "on", "<systemd/sd-daemon.h>", "libsystemd-dev"),
    ("with_tcmalloc", "on", "-ltcmalloc", "libgoogle-perftools-dev"),
    ("with_tirpc", "system", "<tirpc/rpc/rpc.h>", "libtirpc-dev"),
    ("with_zlib", "system", "<zlib.h>", "zlib1g-dev"),
    ("with_zstd", "system", "<zstd.h>", "libzstd-dev"),
];

/// MD5() is in a component since 9.6, and contents are compared by MD5. Libraries of its own lie beside the server.
const INSTALL: &str = "mkdir -p \"$TO/bin\" \"$TO/lib/plugin\" \"$TO/lib/private\" \"$TO/share/english\"
cp \"$BUILD/runtime_output_directory/mysqld\" \"$TO/bin/\"
cp \"$BUILD/share/english/errmsg.sys\" \"$TO/share/english/\"
cp -R share/charsets \"$TO/share/\"
for one in \"$BUILD\"/library_output_directory/*.so*; do if [ -e \"$one\" ]; then cp -P \"$one\" \"$TO/lib/private/\"; fi; done
for one in \"$BUILD\"/plugin_output_directory/component_*.so; do if [ -e \"$one\" ]; then cp \"$one\" \"$TO/lib/plugin/\"; fi; done";

/// Debian has a package for each series.
fn package(release: &str) -> String {
    let Version(major, minor, _) = Version::of(release);
    format!("mysql-{major}.{minor}")
}

fn release(sources: &Sources) -> Option<String> {
    release_in(sources, "MYSQL_VERSION")
}

/// Its parser is always made anew.
fn tools(_: &Sources, flags: &Flags) -> Vec<Tool> {
    let mut tools = humdrum_engine_mysql_family::tools(flags);
    tools.push(Tool::new("bison", "bison"));
    tools.extend(needed(flags, &NEEDS));
    tools
}

fn steps(order: &Order<'_>) -> Vec<Step> {
    let has_component = Version::of(order.release) >= Version(9, 6, 0);
    let component = has_component.then_some("component_classic_hashing");
    let targets: Vec<_> = ["mysqld", "GenError"].into_iter().chain(component).collect();
    CMake { options: &OPTIONS, aliases: &ALIASES, targets: &targets, install: INSTALL }.steps(order)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use humdrum_engine_kit::testing::{commands, installed};

    use super::*;

    fn compiled(release: &str) -> String {
        commands(&RECIPE, release, &Flags::default(), "").swap_remove(1)
    }

    #[test]
    fn newer_servers_have_a_component_for_what_older_ones_know_themselves() {
        assert_eq!(compiled("8.4.3"), "cmake --build humdrum-build --target mysqld GenError");
        assert_eq!(
            compiled("9.7.2"),
            "cmake --build humdrum-build --target mysqld GenError component_classic_hashing"
        );
    }

    #[test]
    fn what_runs_a_server_is_installed() {
        let project = "cmake_minimum_required(VERSION 3.10)\nproject(toy C CXX)\n\
            set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/runtime_output_directory)\n\
            set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/plugin_output_directory)\n\
            add_executable(mysqld mysqld.cc)\nadd_library(component_classic_hashing MODULE mysqld.cc)\n\
            set_target_properties(component_classic_hashing PROPERTIES PREFIX \"\")\n\
            add_custom_target(GenError COMMAND ${CMAKE_COMMAND} -E make_directory share/english\n\
            COMMAND ${CMAKE_COMMAND} -E touch share/english/errmsg.sys)\n";
        let files = [
            ("CMakeLists.txt", project),
            ("mysqld.cc", "int main() { return 0; }\n"),
            ("share/charsets/Index.xml", ""),
        ];
        let Some(found) = installed(&RECIPE, "9.7.2", &files) else { return };
        let expected = [
            "bin/mysqld",
            "lib/plugin/component_classic_hashing.so",
            "share/charsets/Index.xml",
            "share/english/errmsg.sys",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn sources_and_packages_have_the_series_in_their_names() {
        assert_eq!(["9.7", "8.0.40"].map(package), ["mysql-9.7", "mysql-8.0"]);
        let folder = tempfile::tempdir().expect("folder");
        let found = || humdrum_provision::sources::find(folder.path(), None).expect("a folder");
        assert_eq!(release(&found()), None);
        let text =
            "MYSQL_VERSION_MAJOR=9\nMYSQL_VERSION_MINOR=7\nMYSQL_VERSION_PATCH=2\nMYSQL_VERSION_EXTRA=\n";
        std::fs::write(folder.path().join("MYSQL_VERSION"), text).expect("write");
        assert_eq!(release(&found()).as_deref(), Some("9.7.2"));
    }

    #[test]
    fn libraries_of_switches_are_needed_beside_what_all_builds_need() {
        let folder = tempfile::tempdir().expect("folder");
        let sources = humdrum_provision::sources::find(folder.path(), None).expect("a folder");
        let plain = tools(&sources, &Flags::default());
        let switches = [("with_lz4", "system"), ("with_numa", "on"), ("with_zstd", "bundled")];
        let switches = switches.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        let more = tools(&sources, &Flags { switches, ..Flags::default() });
        let packages: Vec<&str> = more[plain.len()..].iter().map(|tool| &*tool.package).collect();
        assert_eq!(packages, ["liblz4-dev", "libnuma-dev"]);
    }

    #[test]
    fn all_patches_are_in_the_recipe() {
        let engine = Path::new(env!("CARGO_MANIFEST_DIR"));
        humdrum_engine_kit::testing::patches_are_listed(&RECIPE, engine);
    }
}

//! How RocksDB is built from its makers' sources: the shared library alone, by CMake and Ninja. What this host has or lacks
//! decides nothing: every library beside the C and C++ ones is off unless a switch asks for it.

use humdrum_contract::Outcome;
use humdrum_engine_kit::{CMake, Flags, Need, Order, Recipe, cmake_tools, needed, source};
use humdrum_model::{Fault, Setting};
use humdrum_provision::building::Step;
use humdrum_provision::sources::Sources;
use humdrum_provision::tools::Tool;

use crate::options;

/// For the kit.
pub(crate) static RECIPE: Recipe = Recipe {
    switches: "with_",
    package: |_| "rocksdb".into(),
    release,
    made: &["CMakeCache.txt", "make_config.mk"],
    linked: &[],
    patches: &[],
    cost: None,
    resumes: true,
    tools,
    steps,
};

/// Where the library is below what was installed.
pub(crate) const LIBRARY: &str = "lib/librocksdb.so";

/// `PORTABLE=1` compiles for the compiler's own processor or that of `march`; without it, for this host's. `BUILD_DATE` would
/// otherwise be the time. Its own search for ccache would start it twice.
const OPTIONS: [(&str, &str); 24] = [
    ("PORTABLE", "1"),
    ("ROCKSDB_BUILD_SHARED", "ON"),
    ("FAIL_ON_WARNINGS", "OFF"),
    ("BUILD_DATE", "none"),
    ("CCACHE_FOUND", "OFF"),
    ("WITH_ALL_TESTS", "OFF"),
    ("WITH_BENCHMARK", "OFF"),
    ("WITH_BENCHMARK_TOOLS", "OFF"),
    ("WITH_BZ2", "OFF"),
    ("WITH_CORE_TOOLS", "OFF"),
    ("WITH_EXAMPLES", "OFF"),
    ("WITH_GFLAGS", "OFF"),
    ("WITH_JEMALLOC", "OFF"),
    ("WITH_JNI", "OFF"),
    ("WITH_LIBURING", "OFF"),
    ("WITH_LZ4", "OFF"),
    ("WITH_NUMA", "OFF"),
    ("WITH_SNAPPY", "OFF"),
    ("WITH_TBB", "OFF"),
    ("WITH_TESTS", "OFF"),
    ("WITH_TOOLS", "OFF"),
    ("WITH_TRACE_TOOLS", "OFF"),
    ("WITH_ZLIB", "OFF"),
    ("WITH_ZSTD", "OFF"),
];

/// What switches need.
const NEEDS: [Need; 10] = [
    ("with_bz2", "on", "<bzlib.h>", "libbz2-dev"),
    ("with_gflags", "on", "<gflags/gflags.h>", "libgflags-dev"),
    ("with_jemalloc", "on", "-ljemalloc", "libjemalloc-dev"),
    ("with_liburing", "on", "<liburing.h>", "liburing-dev"),
    ("with_lz4", "on", "<lz4.h>", "liblz4-dev"),
    ("with_numa", "on", "<numa.h>", "libnuma-dev"),
    ("with_snappy", "on", "<snappy.h>", "libsnappy-dev"),
    ("with_tbb", "on", "<tbb/tbb.h>", "libtbb-dev"),
    ("with_zlib", "on", "<zlib.h>", "zlib1g-dev"),
    ("with_zstd", "on", "<zstd.h>", "libzstd-dev"),
];

/// The switch of a compression, as options name it.
const COMPRESSIONS: [(&str, &str); 6] = [
    ("kBZip2Compression", "with_bz2"),
    ("kLZ4Compression", "with_lz4"),
    ("kLZ4HCCompression", "with_lz4"),
    ("kSnappyCompression", "with_snappy"),
    ("kZSTD", "with_zstd"),
    ("kZlibCompression", "with_zlib"),
];

const INSTALL: &str = "mkdir -p \"$TO/lib\"\ncp -L \"$BUILD/librocksdb.so\" \"$TO/lib/\"";

/// `9.11.2` of `#define ROCKSDB_MAJOR 9` and the like.
fn release(sources: &Sources) -> Option<String> {
    source::release_in(sources, "include/rocksdb/version.h", |part| format!("#define ROCKSDB_{part} "))
}

fn tools(_: &Sources, flags: &Flags) -> Vec<Tool> {
    let mut tools = cmake_tools(flags);
    tools.extend(needed(flags, &NEEDS));
    tools
}

fn is_on(flags: &Flags, switch: &str) -> bool {
    flags.switches.iter().any(|(key, value)| key == switch && value.eq_ignore_ascii_case("on"))
}

fn steps(order: &Order<'_>) -> Vec<Step> {
    CMake { options: &OPTIONS, aliases: &[], targets: &["rocksdb-shared"], install: INSTALL }.steps(order)
}

/// Checks that the library will do what its options ask for, before it is built.
///
/// # Errors
/// Usage, with the switch that is missing.
pub(crate) fn check(flags: &Flags, settings: &[Setting]) -> Outcome<()> {
    let of_library = |key: &String| NEEDS.iter().any(|(switch, ..)| key == switch);
    let plain = |value: &String| ["on", "off"].iter().any(|word| value.eq_ignore_ascii_case(word));
    if let Some((key, value)) = flags.switches.iter().find(|(key, value)| of_library(key) && !plain(value)) {
        return Err(Fault::usage(format!("`{key}={value}`: it is on or off")));
    }
    if flags.malloc.is_some() {
        let what = "rocksdb is loaded into a worker, which has the C library's malloc";
        return Err(Fault::usage(what).hint("leave malloc out"));
    }
    let wanted = options::compression(settings)?;
    let switch = COMPRESSIONS.iter().find(|(name, _)| *name == wanted).map(|(_, switch)| *switch);
    match switch.filter(|switch| !is_on(flags, switch)) {
        None => Ok(()),
        Some(switch) => {
            Err(Fault::usage(format!("the options compress by {wanted}, which the build leaves out"))
                .hint(format!("add +{switch}=on, to all subjects")))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use humdrum_engine_kit::Lto;
    use humdrum_engine_kit::testing::{commands, installed, patches_are_listed};

    use super::*;

    fn shown(flags: &Flags) -> Vec<String> {
        commands(&RECIPE, "9.11.2", flags, "ccache")
    }

    #[test]
    fn the_library_alone_is_compiled_and_copied() {
        let [configure, compile, install] = <[String; 3]>::try_from(shown(&Flags::default())).expect("three");
        for part in
            ["-DPORTABLE=1 ", "-DWITH_LZ4=OFF", "-DWITH_GFLAGS=OFF", "_LAUNCHER=ccache", "-DBUILD_DATE=none"]
        {
            assert!(configure.contains(part), "{part}: {configure}");
        }
        assert_eq!(compile, "cmake --build humdrum-build --target rocksdb-shared");
        assert!(install.contains("TO=/staged/builds/it") && install.contains("librocksdb.so"), "{install}");
    }

    #[test]
    fn switches_take_the_place_of_what_is_off() {
        let switches = [("with_lz4", "on"), ("with_liburing", "on")];
        let flags = Flags {
            cc: "clang".into(),
            lto: Lto::Thin,
            switches: switches.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec(),
            ..Flags::default()
        };
        let configure = shown(&flags).swap_remove(0);
        assert!(configure.ends_with(" -DWITH_LZ4=ON -DWITH_LIBURING=ON"), "{configure}");
        assert!(
            !configure.contains("WITH_LZ4=OFF")
                && configure.contains("-DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld")
        );
        let folder = tempfile::tempdir().expect("folder");
        let sources = humdrum_provision::sources::find(folder.path(), None).expect("a folder");
        let names: Vec<String> = tools(&sources, &flags).into_iter().map(|tool| tool.package).collect();
        assert_eq!(names, ["clang", "cmake", "ninja-build", "liburing-dev", "liblz4-dev"]);
    }

    #[test]
    fn the_release_is_in_a_header() {
        let folder = tempfile::tempdir().expect("folder");
        let found = || release(&humdrum_provision::sources::find(folder.path(), None).expect("a folder"));
        assert_eq!(found(), None);
        let header = folder.path().join("include/rocksdb/version.h");
        std::fs::create_dir_all(header.parent().expect("parent")).expect("folder");
        let text = "#define ROCKSDB_MAJOR 9\n#define ROCKSDB_MINOR 11\n#define ROCKSDB_PATCH 2\n";
        std::fs::write(header, format!("{text}#define __ROCKSDB_MAJOR__ ROCKSDB_MAJOR\n")).expect("write");
        assert_eq!(found().as_deref(), Some("9.11.2"));
    }

    #[test]
    fn options_that_the_build_cannot_serve_are_refused_before_it() {
        let off = Flags::default();
        assert!(check(&off, &[]).is_ok());
        let iobuf = [Setting::Named("iobuf".into())];
        let fault = check(&off, &iobuf).expect_err("no lz4");
        assert!(fault.exit_code() == 2 && fault.hint.is_some_and(|hint| hint.contains("+with_lz4=on")));
        let on = Flags { switches: vec![("with_lz4".into(), "on".into())], ..Flags::default() };
        assert!(check(&on, &iobuf).is_ok());
        let zstd = [Setting::Value { key: "compression".into(), value: "zstd".into() }];
        assert!(
            check(&on, &zstd).expect_err("no zstd").hint.is_some_and(|hint| hint.contains("+with_zstd=on"))
        );
        let malloc = Flags { malloc: Some("jemalloc"), ..Flags::default() };
        assert!(check(&malloc, &[]).expect_err("malloc").what.contains("worker"));
    }

    #[test]
    fn what_is_linked_is_installed_as_a_file() {
        let project = "cmake_minimum_required(VERSION 3.10)\nproject(toy CXX)\n\
            add_library(rocksdb-shared SHARED it.cc)\n\
            set_target_properties(rocksdb-shared PROPERTIES VERSION 9.11.2 SOVERSION 9 OUTPUT_NAME rocksdb)\n";
        let files = [("CMakeLists.txt", project), ("it.cc", "int it() { return 0; }\n")];
        let Some(found) = installed(&RECIPE, "9.11.2", &files) else { return };
        assert_eq!(found, [LIBRARY]);
    }

    #[test]
    fn all_patches_are_in_the_recipe() {
        patches_are_listed(&RECIPE, Path::new(env!("CARGO_MANIFEST_DIR")));
    }
}

//! How PostgreSQL 11 and later is built: by `configure` and `make`, which all releases have, not by `meson`, which came
//! with 16. Only what a server needs is compiled.
//!
//! Readline, zlib and ICU are left out unless a switch asks for them: no server that is measured uses them, and a host
//! need not have their headers.

use humdrum_engine_kit::{Cost, Flags, Need, Order, Recipe, needed};
use humdrum_provision::building::Step;
use humdrum_provision::sources::Sources;
use humdrum_provision::tools::Tool;

/// For the kit.
pub(crate) static RECIPE: Recipe = Recipe {
    switches: "with_",
    package: |release| format!("postgresql-{}", crate::catalogue::major(release)),
    release,
    made: &["config.status", "src/include/pg_config.h"],
    linked: &["src/backend/postgres"],
    patches: &[],
    // Of 15.18 on a Xeon (Cascade Lake): 580 s of processor time; 188 MiB when half of it was compiled.
    cost: Some(Cost { processor_minutes: 10, disk_mib: 400 }),
    resumes: false,
    tools,
    steps,
};

/// Folders that are compiled and installed: the server, what `initdb` makes a cluster of, and what the lab looks at
/// servers with.
const PARTS: [&str; 10] = [
    "src/backend",
    "src/timezone",
    "src/backend/utils/mb/conversion_procs",
    "src/backend/snowball",
    "src/interfaces/libpq",
    "src/pl/plpgsql/src",
    "src/bin/initdb",
    "src/bin/pg_ctl",
    "contrib/pg_prewarm",
    "contrib/pg_stat_statements",
];

/// Libraries that are off unless a switch says otherwise; some are on by default in some releases.
const OFF: [&str; 3] = ["icu", "readline", "zlib"];

/// What switches need. `configure` asks pkg-config for the libraries beside which it stands.
const NEEDS: [Need; 32] = [
    ("with_bonjour", "on", "<dns_sd.h>", "libavahi-compat-libdnssd-dev"),
    ("with_gssapi", "on", "<gssapi/gssapi.h>", "libkrb5-dev"),
    ("with_icu", "on", "<unicode/ucol.h>", "libicu-dev"),
    ("with_icu", "on", "pkg-config", "pkg-config"),
    ("with_ldap", "on", "<ldap.h>", "libldap-dev"),
    ("with_libcurl", "on", "<curl/curl.h>", "libcurl4-openssl-dev"),
    ("with_libcurl", "on", "pkg-config", "pkg-config"),
    ("with_libnuma", "on", "<numa.h>", "libnuma-dev"),
    ("with_libnuma", "on", "pkg-config", "pkg-config"),
    ("with_liburing", "on", "<liburing.h>", "liburing-dev"),
    ("with_liburing", "on", "pkg-config", "pkg-config"),
    ("with_libxml", "on", "<libxml2/libxml/parser.h>", "libxml2-dev"),
    ("with_libxml", "on", "pkg-config", "pkg-config"),
    ("with_libxslt", "on", "<libxslt/xslt.h>", "libxslt1-dev"),
    ("with_llvm", "on", "clang", "clang"),
    ("with_llvm", "on", "llvm-config", "llvm-dev"),
    ("with_lz4", "on", "<lz4.h>", "liblz4-dev"),
    ("with_lz4", "on", "pkg-config", "pkg-config"),
    ("with_openssl", "on", "<openssl/ssl.h>", "libssl-dev"),
    ("with_ossp_uuid", "on", "<ossp/uuid.h>", "libossp-uuid-dev"),
    ("with_pam", "on", "<security/pam_appl.h>", "libpam0g-dev"),
    ("with_python", "on", "python3-config", "python3-dev"),
    ("with_readline", "on", "<readline/readline.h>", "libreadline-dev"),
    ("with_selinux", "on", "<selinux/selinux.h>", "libselinux1-dev"),
    ("with_ssl", "openssl", "<openssl/ssl.h>", "libssl-dev"),
    ("with_systemd", "on", "<systemd/sd-daemon.h>", "libsystemd-dev"),
    ("with_tcl", "on", "tclsh", "tcl-dev"),
    ("with_uuid", "e2fs", "<uuid/uuid.h>", "uuid-dev"),
    ("with_uuid", "ossp", "<ossp/uuid.h>", "libossp-uuid-dev"),
    ("with_zlib", "on", "<zlib.h>", "zlib1g-dev"),
    ("with_zstd", "on", "<zstd.h>", "libzstd-dev"),
    ("with_zstd", "on", "pkg-config", "pkg-config"),
];

/// `17.7` of `PACKAGE_VERSION='17.7'`, where the package is PostgreSQL.
fn release(sources: &Sources) -> Option<String> {
    let text = sources.read("configure")?;
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim_start_matches('=').trim_matches('\'').to_owned())
    };
    (value("PACKAGE_NAME")? == "PostgreSQL").then(|| value("PACKAGE_VERSION")).flatten()
}

/// Archives of releases before 17 have the parsers in C; repositories and later archives have their grammars only.
fn tools(sources: &Sources, flags: &Flags) -> Vec<Tool> {
    let mut tools = vec![Tool::new("make", "make"), Tool::new("perl", "perl")];
    if !sources.has("src/backend/parser/gram.c") {
        tools.extend(["bison", "flex"].map(|name| Tool::new(name, name)));
    }
    tools.extend(needed(flags, &NEEDS));
    tools
}

/// Programs look for libpq beside themselves. `$$` is for make, the quotes are for its shell.
const OWN_LIBRARIES: &str = "-Wl,-rpath,'$$ORIGIN/../lib'";

fn steps(order: &Order<'_>) -> Vec<Step> {
    let configure = Step {
        what: "configuring".into(),
        program: "./configure".into(),
        args: configure(order),
        env: Vec::new(),
    };
    // Parts of the server are compiled side by side and would look for headers that are being made.
    let headers = make("generating headers", "src/backend", &["generated-headers"]);
    // Several parts need these libraries, and two that run side by side would both make them, in the same files.
    let libraries = ["src/port", "src/common"].map(|part| make(&format!("compiling {part}"), part, &["all"]));
    let compile = |part: &str| make(&format!("compiling {part}"), part, &["all"]);
    let staged = format!("DESTDIR={}", order.staged.display());
    let install = |part: &str| make(&format!("installing {part}"), part, &["install", &staged]);
    let parts = PARTS.iter().map(|part| compile(part)).chain(PARTS.iter().map(|part| install(part)));
    [configure, headers].into_iter().chain(libraries).chain(parts).chain([catalogs(&staged)]).collect()
}

/// What `initdb` makes the system catalogs of: installed with the server until 16, by a folder of its own since 17.
fn catalogs(staged: &str) -> Step {
    let folder = "src/include/catalog";
    let script = format!("if [ -f {folder}/Makefile ]; then make -C {folder} install \"$0\"; fi");
    Step {
        what: "installing the system catalogs".into(),
        program: "sh".into(),
        args: vec!["-ec".into(), script, staged.to_owned()],
        env: Vec::new(),
    }
}

fn make(what: &str, part: &str, targets: &[&str]) -> Step {
    let args = ["-C", part].iter().chain(targets).map(|word| (*word).to_owned()).collect();
    Step { what: what.to_owned(), program: "make".into(), args, env: Vec::new() }
}

fn configure(order: &Order<'_>) -> Vec<String> {
    let Order { flags, compiler, launcher, prefix, .. } = order;
    let cc = format!("{launcher} {}", compiler.cc);
    let mut args = vec![format!("--prefix={}", prefix.display()), format!("CC={}", cc.trim_start())];
    // Headers count only then when a tree is reused.
    args.extend(["--enable-depend", "--disable-rpath"].map(str::to_owned));
    args.push(format!("CFLAGS={}", compiler.flags(flags).join(" ")));
    let link = std::iter::once(OWN_LIBRARIES.to_owned()).chain(compiler.link_flags(flags));
    args.push(format!("LDFLAGS={}", link.collect::<Vec<_>>().join(" ")));
    args.extend(flags.malloc.map(|library| format!("LIBS=-l{library}")));
    if let Some((ar, ranlib)) = compiler.archivers(flags) {
        args.extend([format!("AR={ar}"), format!("RANLIB={ranlib}")]);
    }
    args.extend(flags.assertions.then(|| "--enable-cassert".to_owned()));
    args.extend(OFF.map(|name| format!("--without-{name}")));
    // By itself it only warns of a switch that it does not know.
    let is_asked = !flags.switches.is_empty();
    args.extend(is_asked.then(|| "--enable-option-checking=fatal".to_owned()));
    args.extend(flags.switches.iter().map(|(key, value)| switch(key, value)));
    args
}

/// `with_wal_blocksize=16` as `--with-wal-blocksize=16`.
fn switch(key: &str, value: &str) -> String {
    let name = key.trim_start_matches("with_").replace('_', "-");
    match value {
        "on" => format!("--with-{name}"),
        "off" => format!("--without-{name}"),
        value => format!("--with-{name}={value}"),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use humdrum_engine_kit::Lto;
    use humdrum_engine_kit::testing::commands;
    use humdrum_provision::sources::find;

    use super::*;

    fn shown(flags: &Flags) -> Vec<String> {
        commands(&RECIPE, "17.7", flags, "ccache")
    }

    #[test]
    fn the_server_is_configured_compiled_and_installed() {
        let steps = shown(&Flags::default());
        assert_eq!(
            steps[0],
            "./configure --prefix=/builds/it 'CC=ccache gcc' --enable-depend --disable-rpath 'CFLAGS=-O2 -fno-omit-frame-pointer \
             -mno-omit-leaf-frame-pointer' \
             'LDFLAGS=-Wl,-rpath,'\\''$$ORIGIN/../lib'\\''' --without-icu --without-readline --without-zlib"
        );
        assert_eq!(steps[1], "make -C src/backend generated-headers");
        assert_eq!(
            steps[2..5],
            ["make -C src/port all", "make -C src/common all", "make -C src/backend all"]
        );
        assert_eq!(steps[steps.len() - 2], "make -C contrib/pg_stat_statements install DESTDIR=/staged");
        assert_eq!(
            steps[steps.len() - 1],
            "sh -ec 'if [ -f src/include/catalog/Makefile ]; then make -C src/include/catalog install \"$0\"; fi' DESTDIR=/staged"
        );
    }

    #[test]
    fn settings_become_options_of_configure() {
        let switches = [("with_lz4", "on"), ("with_icu", "off"), ("with_wal_blocksize", "16")];
        let switches = switches.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        let flags = Flags {
            cc: "clang".into(),
            lto: Lto::Thin,
            assertions: true,
            malloc: Some("jemalloc"),
            switches,
            ..Flags::default()
        };
        let configure = shown(&flags).swap_remove(0);
        let expected = " -fuse-ld=lld' LIBS=-ljemalloc AR=llvm-ar RANLIB=llvm-ranlib --enable-cassert \
                        --without-icu --without-readline --without-zlib \
                        --enable-option-checking=fatal --with-lz4 --without-icu --with-wal-blocksize=16";
        assert!(configure.ends_with(expected), "{configure}");
    }

    #[test]
    fn sources_are_known_by_their_configure() {
        let folder = tempfile::tempdir().expect("folder");
        let found = || find(folder.path(), None).expect("a folder");
        let write = |below: &str, text: &str| {
            let path = folder.path().join(below);
            fs::create_dir_all(path.parent().expect("parent")).expect("folder");
            fs::write(path, text).expect("write");
        };
        assert_eq!(release(&found()), None);
        write("configure", "PACKAGE_NAME='Other'\nPACKAGE_VERSION='1'\n");
        assert_eq!(release(&found()), None);
        write("configure", "#!/bin/sh\nPACKAGE_NAME='PostgreSQL'\nPACKAGE_VERSION='19devel'\n");
        assert_eq!(release(&found()).as_deref(), Some("19devel"));
        let names = |flags: &Flags| -> Vec<String> {
            tools(&found(), flags).into_iter().map(|tool| tool.name).collect()
        };
        assert_eq!(names(&Flags::default()), ["make", "perl", "bison", "flex"]);
        write("src/backend/parser/gram.c", "");
        let switches =
            vec![("with_lz4".to_owned(), "on".to_owned()), ("with_zstd".to_owned(), "off".to_owned())];
        assert_eq!(names(&Flags { switches, ..Flags::default() }), ["make", "perl", "<lz4.h>", "pkg-config"]);
    }

    #[test]
    fn all_patches_are_in_the_recipe() {
        let engine = Path::new(env!("CARGO_MANIFEST_DIR"));
        humdrum_engine_kit::testing::patches_are_listed(&RECIPE, engine);
    }
}

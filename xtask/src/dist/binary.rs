//! The program for one target, with no trace of where it was built.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Release, said};

/// What this host lacks to build for a target, if it lacks anything.
pub fn lacks(target: &str) -> Option<String> {
    let installed = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    let library = installed.ok().filter(|output| output.status.success());
    let library = library.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    if !library.is_some_and(|library| library.exists()) {
        return Some(format!("rustup target add {target}"));
    }
    let cc = compiler(target)?;
    if humdrum_provision::tools::find(cc).is_none() {
        return Some(format!("no `{cc}` in PATH"));
    }
    // Debian has the compiler without the C library's headers.
    let headers = if cc == "aarch64-linux-gnu-gcc" { "libc6-dev-arm64-cross" } else { "musl-dev" };
    (!has_headers(cc)).then(|| format!("`{cc}` finds no <stdlib.h>; Debian has it in {headers}"))
}

fn has_headers(cc: &str) -> bool {
    let mut preprocess = Command::new(cc);
    preprocess.args(["-E", "-include", "stdlib.h", "-x", "c", "/dev/null"]);
    preprocess.output().is_ok_and(|output| output.status.success())
}

/// The compiler of C for SQLite and for checksums' assembly, where it is not the host's own.
fn compiler(target: &str) -> Option<&'static str> {
    match target {
        "x86_64-unknown-linux-musl" if cfg!(target_arch = "x86_64") => Some("musl-gcc"),
        "aarch64-unknown-linux-musl" if cfg!(target_arch = "aarch64") => Some("musl-gcc"),
        "aarch64-unknown-linux-musl" | "aarch64-unknown-linux-gnu" if !cfg!(target_arch = "aarch64") => {
            Some("aarch64-linux-gnu-gcc")
        }
        _ => None,
    }
}

/// Builds it; the path of the program.
pub fn build(release: &Release, target: &str) -> Result<PathBuf, String> {
    let build = release.out.join("build");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--release", "--locked", "--package", "humdrum", "--target", target]);
    cargo.current_dir(&release.root).env("CARGO_TARGET_DIR", &build).env("CARGO_INCREMENTAL", "0");
    cargo.env("SOURCE_DATE_EPOCH", release.epoch.to_string());
    let places = places(release, &build)?;
    let remap = |flag: &str, between: &str| {
        let flags = places.iter().map(|(from, to)| format!("{flag}{from}={to}"));
        flags.collect::<Vec<_>>().join(between)
    };
    // Paths may hold spaces, so rustc's flags are separated as cargo separates them.
    let mut rust = remap("--remap-path-prefix=", "\x1f");
    let under = target.replace('-', "_");
    let mut c = remap("-ffile-prefix-map=", " ");
    if let Some(cc) = compiler(target) {
        cargo.env(format!("CC_{under}"), cc);
        // The C library is rustc's own copy of musl, so that any linker of the processor's kind will do.
        cargo.env(
            format!("CARGO_TARGET_{}_LINKER", under.to_uppercase()),
            if cc == "musl-gcc" { "cc" } else { cc },
        );
        if cc != "musl-gcc" && target.ends_with("musl") {
            // This compiler's own headers are those of glibc. These turn off what only glibc has: SQLite would call `open64`, although
            // offsets have 64 bits without it.
            c += " -DSQLITE_DISABLE_LFS -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=0 -mno-outline-atomics";
            rust += "\x1f-Clink-self-contained=yes";
        }
    }
    cargo.env("CARGO_ENCODED_RUSTFLAGS", rust).env(format!("CFLAGS_{under}"), c);
    let status = cargo.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    if !status.success() {
        return Err(format!("the build for {target} failed; see above"));
    }
    Ok(build.join(target).join("release/humdrum"))
}

/// Folders of this build, and what the program has in their place. rustc takes the last one that fits.
fn places(release: &Release, build: &Path) -> Result<Vec<(String, String)>, String> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let cargo = std::env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    let sysroot = said(Command::new("rustc").args(["--print", "sysroot"]).current_dir(&release.root))?;
    let mut places = vec![
        (String::from_utf8_lossy(&sysroot).trim().to_owned(), "/rust".to_owned()),
        (cargo.display().to_string(), "/cargo".to_owned()),
    ];
    // The folder of an index has a name that is made of its address.
    let sources = cargo.join("registry/src");
    for index in std::fs::read_dir(&sources).into_iter().flatten().flatten() {
        places.push((index.path().display().to_string(), "/cargo/registry".to_owned()));
    }
    places.push((release.root.display().to_string(), "/humdrum".to_owned()));
    places.push((build.display().to_string(), "/build".to_owned()));
    Ok(places)
}

//! The README's commands install what a program needs, and the example compiles as it says there.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::programs::{compiler, library};

const README: &str = include_str!("../../README.md");

/// The blocks of a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    README.split(&fence).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

/// Runs commands in a folder with these variables; what they print.
fn run(commands: &str, folder: &Path, variables: &[(&str, PathBuf)]) -> String {
    let mut command = Command::new("bash");
    command
        .args(["-euc", commands])
        .current_dir(folder)
        .envs(variables.iter().map(|(name, value)| (name, value)));
    let output = command.output().expect("bash runs");
    assert!(output.status.success(), "{commands}{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_readme_installs_and_its_example_runs() {
    let (Some(_), Some(_)) = (compiler("cc"), compiler("pkg-config")) else { return };
    let home = TempDir::new().expect("a folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let [install, shared, fixed, ..] = blocks("sh")[..] else { panic!("three blocks of commands") };
    // The libraries of this test instead of a build of their own.
    let release = home.path().join("target/release");
    fs::create_dir_all(&release).expect("a folder");
    for name in ["libskipsort_c.a", "libskipsort_c.so"] {
        symlink(library(name), release.join(name)).expect("a link");
    }
    let prefix = home.path().join(".local");
    let targets = [("PREFIX", prefix.clone()), ("CARGO_TARGET_DIR", home.path().join("target"))];
    run(&install.replace("cargo build --release -p skipsort-c\n", ""), &root, &targets);
    let found = [("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"))];
    let version = run("pkg-config --modversion skipsort", &root, &found);
    assert_eq!(version.trim(), env!("CARGO_PKG_VERSION"));

    fs::write(home.path().join("first.c"), blocks("c")[0]).expect("the example");
    for block in [shared, fixed] {
        assert_eq!(run(block, home.path(), &[("HOME", home.path().to_owned())]), "fig 2\npear 1\n");
    }
}

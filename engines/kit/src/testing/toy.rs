//! A made-up project in place of an engine's sources: builds in a second, by the engine's own commands.

use std::fs;
use std::path::Path;

use humdrum_contract::{Interrupt, Silent};
use humdrum_provision::building::{self, Site};
use humdrum_provision::tools::{self, Tool};

use crate::source::{Compiler, Flags, Order, Recipe};

/// Files that a recipe installs of a project with these files; `None`, and a line that says so: this host has no CMake.
///
/// # Panics
/// When a command fails.
pub fn installed(recipe: &Recipe, release: &str, files: &[(&str, &str)]) -> Option<Vec<String>> {
    let needed = ["cmake", "ninja", "gcc", "g++"].map(|name| Tool::new(name, name));
    if !tools::missing(&needed).is_empty() {
        eprintln!("skipped: cmake, ninja, gcc or g++ is not here");
        return None;
    }
    let folder = tempfile::tempdir().expect("folder");
    let at = |name: &str| folder.path().join(name);
    for (below, text) in files {
        let path = at("tree").join(below);
        fs::create_dir_all(path.parent().expect("parent")).expect("folder");
        fs::write(path, text).expect("write");
    }
    let flags = Flags::default();
    let compiler = Compiler { cc: "gcc".into(), version: String::new() };
    let (prefix, staged) = (at("builds"), at("staged"));
    let order =
        Order { release, flags: &flags, compiler: &compiler, launcher: "", prefix: &prefix, staged: &staged };
    let (tree, log) = (at("tree"), at("log"));
    let site =
        Site { name: "toy 1.0", tree: &tree, log: &log, interrupt: &Interrupt::new(), progress: &Silent };
    building::run(&(recipe.steps)(&order), &site)
        .unwrap_or_else(|fault| panic!("{fault}: {:?}", fault.log_tail));
    let mut found = Vec::new();
    list(&order.destination(), Path::new(""), &mut found);
    found.sort();
    Some(found)
}

fn list(root: &Path, below: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(root.join(below)).expect("folder").flatten() {
        let path = below.join(entry.file_name());
        if entry.path().is_dir() {
            list(root, &path, found);
        } else {
            found.push(path.display().to_string());
        }
    }
}

//! The whole program beside the one that only reads: the same results in two folders, the same commands, and then every byte.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::results;

/// What both must answer alike. `ROOT` is the checkout.
const ALIKE: [&str; 32] = [
    "report run",
    "report run --format html",
    "report run --format markdown",
    "report run --format github",
    "report run --format post",
    "report run --format post-html",
    "report run --format smalldatum",
    "report run --format tsv",
    "report run --format json",
    "report run --format prose",
    "report run --base b --out turned.html --format html",
    "report s1 s2 --pool-generations",
    "report search",
    "report search --format html",
    "report search --format json",
    "report up",
    "report up --format html",
    "report nothing",
    "merge s1 s2 --out merged --json -",
    "merge s1 run --out refused",
    "report merged --format html",
    "explain run",
    "explain run hot-points --json",
    "explain run nothing",
    "site pages run releases merged --quiet",
    "beside x=releases/summary.tsv y=releases",
    "beside zen4=ROOT/records/2026-11-22-epyc-vm-2-cores/mysql-today.tsv --published ROOT/published/mysql-5.6-to-9.7-sysbench-small-server--base-5.6.51--point.tsv",
    "experiments ROOT/experiments",
    "experiments ROOT/experiments --format json",
    "reprot run",
    "report",
    "site --help",
];

/// What a program answered.
#[derive(PartialEq, Eq)]
pub struct Answer {
    /// Its exit code.
    pub code: Option<i32>,
    stdout: Vec<u8>,
    /// What it complained of.
    pub stderr: Vec<u8>,
}

/// Runs a command line in a folder.
pub fn said(program: &Path, folder: &Path, line: &str) -> Result<Answer, String> {
    let mut command = Command::new(program);
    command.args(line.split_whitespace()).current_dir(folder);
    // What is known of this host is the same for both, and nobody else's.
    let cache = folder.parent().unwrap_or(folder).join("cache");
    command.env("HUMDRUM_CACHE", cache).env("NO_COLOR", "1").env("COLUMNS", "110");
    let output = command.output().map_err(|error| format!("{}: {error}", program.display()))?;
    Ok(Answer { code: output.status.code(), stdout: output.stdout, stderr: output.stderr })
}

/// All differences between the two programs, in words.
pub fn differences(root: &Path, whole: &Path, reading: &Path) -> Result<Vec<String>, String> {
    let folder = root.join("target/reading/compared");
    let _ = fs::remove_dir_all(&folder);
    let [made, of_whole, of_reading] = ["made", "whole", "reading"].map(|name| folder.join(name));
    fs::create_dir_all(&made).map_err(|error| format!("{}: {error}", made.display()))?;
    results::make(whole, &made)?;
    copy(&made, &of_whole)?;
    copy(&made, &of_reading)?;
    let mut found = verbs(&folder, whole, reading)?;
    for line in ALIKE {
        let line = line.replace("ROOT", &root.display().to_string());
        if said(whole, &of_whole, &line)? != said(reading, &of_reading, &line)? {
            found.push(format!("`humdrum {line}` answers something else in {}", of_reading.display()));
        }
    }
    let [ours, theirs] = [files(&of_whole)?, files(&of_reading)?];
    let names: BTreeSet<&PathBuf> = ours.keys().chain(theirs.keys()).collect();
    let other = names.into_iter().filter(|name| ours.get(*name) != theirs.get(*name));
    found.extend(other.map(|name| format!("{} differs from that of the whole program", name.display())));
    Ok(found)
}

/// Each verb of the program that reads is one of the whole program, and it names all others as those that it lacks.
fn verbs(folder: &Path, whole: &Path, reading: &Path) -> Result<Vec<String>, String> {
    let [all, some] = [whole, reading].map(|program| said(program, folder, "--help"));
    let [all, some] = [help(&all?), help(&some?)];
    let [listed, own] = [listed(&all), listed(&some)];
    let mut found = Vec::new();
    for (verb, about) in &own {
        if listed.get(verb) != Some(about) {
            found.push(format!("`humdrum --help` has another line for {verb}"));
        }
    }
    let lacks = some.split_once("whole program").map(|(_, rest)| rest.to_owned()).unwrap_or_default();
    let named: BTreeSet<&str> = lacks.split(|c: char| !c.is_ascii_alphabetic()).collect();
    for verb in listed.keys().filter(|verb| !own.contains_key(*verb)) {
        let refused = said(reading, folder, verb)?;
        let refusal = String::from_utf8_lossy(&refused.stderr);
        if !named.contains(verb.as_str()) || refused.code != Some(2) || !refusal.contains("whole program") {
            found.push(format!("{verb} is missing in MEASURING of lab/cli/src/args/reading.rs"));
        }
    }
    Ok(found)
}

fn help(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.stdout).into_owned()
}

/// The verbs that `--help` lists, with what it says of each.
fn listed(help: &str) -> BTreeMap<String, String> {
    let list = help.split_once("Commands:").and_then(|(_, rest)| rest.split_once("Options:"));
    let mut verbs: BTreeMap<String, String> = BTreeMap::new();
    let mut last = String::new();
    for line in list.map_or("", |(list, _)| list).lines() {
        let mut words = line.split_whitespace();
        if line.starts_with("  ") && !line.starts_with("   ") {
            last = words.next().unwrap_or_default().to_owned();
        }
        verbs.entry(last.clone()).or_default().push_str(&words.collect::<Vec<_>>().join(" "));
    }
    verbs
}

/// Everything in a folder.
fn files(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>, String> {
    let cannot = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let (mut found, mut left) = (BTreeMap::new(), vec![folder.to_path_buf()]);
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(&next).map_err(|error| cannot(&next, error))? {
            let path = entry.map_err(|error| cannot(&next, error))?.path();
            if path.is_dir() {
                left.push(path);
            } else {
                let bytes = fs::read(&path).map_err(|error| cannot(&path, error))?;
                found.insert(path.strip_prefix(folder).unwrap_or(&path).to_path_buf(), bytes);
            }
        }
    }
    Ok(found)
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    for (name, bytes) in files(from)? {
        let path = to.join(name);
        let folder = path.parent().unwrap_or(to);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, bytes))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

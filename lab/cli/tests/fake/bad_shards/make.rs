//! The inputs of the table, each in `odd`: most are copies of shard 2 with a change.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::common::{Humdrum, text_of};
use crate::shards::shard;

pub(super) const SET_OF: &str = "UPDATE meta SET value = json_set(value, '$.shard.of', 4) WHERE key = 'plan'";
pub(super) const SET_NUMBER: &str =
    "UPDATE meta SET value = json_set(value, '$.shard.number', 9) WHERE key = 'plan'";
pub(super) const SET_PROCESSOR: &str =
    "UPDATE meta SET value = json_set(value, '$.cpu_model', 'Another') WHERE key = 'host'";

/// `odd`, a copy of shard 2 that was changed so.
pub(super) fn odd(at: &Humdrum, change: &str) {
    copy(at, "s2");
    sql(at, "odd", change);
}

pub(super) fn copy(at: &Humdrum, of: &str) {
    copy_whole(&at.path(of), &at.path("odd"));
}

pub(super) fn copy_whole(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("listed") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        match entry.file_type().expect("a type").is_dir() {
            true => copy_whole(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).expect("copied")),
        }
    }
}

pub(super) fn sql(at: &Humdrum, folder: &str, change: &str) {
    let connection = Connection::open(at.path(folder).join("results.sqlite")).expect("opened");
    connection.execute_batch(change).expect("changed");
}

pub(super) fn file(at: &Humdrum, bytes: &[u8]) {
    fs::create_dir(at.path("odd")).expect("made");
    fs::write(at.path("odd/results.sqlite"), bytes).expect("written");
}

pub(super) fn whole(at: &Humdrum) {
    let plan = ["fake@1.0", "fake@1.1", "--tests", "scan", "--scale", "tiny", "--sessions", "4"];
    at.compare("odd", &plan);
}

pub(super) fn other_seed(at: &Humdrum) {
    shard(at, "odd", 2, &["--seed", "9"]);
}

pub(super) fn other_subjects(at: &Humdrum) {
    let plan = ["a=fake@1.0", "b=fake@1.0+slowdown=9%", "--tests", "scan,point-query", "--scale", "tiny"];
    at.compare("odd", &[&plan[..], &["--sessions", "9", "--budget", "60s", "--shard", "2/3"]].concat());
}

pub(super) fn other_program(at: &Humdrum) {
    fs::create_dir(at.path("odd")).expect("made");
    sql(at, "odd", "CREATE TABLE t (x)");
}

pub(super) fn cut_off(at: &Humdrum) {
    let bytes = fs::read(at.path("s2/results.sqlite")).expect("read");
    file(at, &bytes[..bytes.len() / 2]);
}

/// Every other page of the slices is overwritten; the head can still be read.
pub(super) fn damaged_blocks(at: &Humdrum) {
    copy(at, "s2");
    let path = at.path("odd/results.sqlite");
    let pages: Vec<i64> = {
        let connection = Connection::open(&path).expect("opened");
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'latency'";
        let mut statement = connection.prepare(sql).expect("a table");
        let found = statement.query_map([], |row| row.get(0)).expect("pages");
        found.collect::<rusqlite::Result<_>>().expect("numbers")
    };
    let mut bytes = fs::read(&path).expect("read");
    for page in pages.into_iter().map(|page| page as usize) {
        bytes[(page - 1) * 4096..page * 4096].fill(0xff);
    }
    fs::write(&path, bytes).expect("written");
}

/// Merged results of two hosts, of which something was not copied.
pub(super) fn part_of_merged(at: &Humdrum, without: &str) {
    sql(at, "s2", "UPDATE meta SET value = json_set(value, '$.id', 'another') WHERE key = 'host'");
    at.exits(0, &["merge", "s1", "s2", "-o", "odd", "--no-report", "--quiet"]);
    fs::remove_dir_all(at.path("odd").join(without)).expect("removed");
}

pub(super) fn again(at: &Humdrum) {
    odd(at, "UPDATE meta SET value = '2026-01-01T00:00:00Z' WHERE key = 'started'");
}

pub(super) fn extended(at: &Humdrum) {
    copy(at, "s2");
    let output = at.run(&["extend", "odd", "--quiet"]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", text_of(&output.stderr));
    // A run of milliseconds: both begin in one second.
    sql(at, "odd/runs/2", "UPDATE meta SET value = '2099-01-01T00:00:00Z' WHERE key = 'started'");
}

/// What a file has when a session begins: all before it.
pub(super) fn without_log(at: &Humdrum) {
    let last = "session = (SELECT max(number) FROM session)";
    let change = format!(
        "DELETE FROM slice WHERE block IN (SELECT id FROM block WHERE {last}); DELETE FROM block WHERE {last}; \
         DELETE FROM latency WHERE {last}; DELETE FROM meta WHERE key = 'finished'"
    );
    odd(at, &change);
}

/// Killed before its servers were up.
pub(super) fn unbegun(at: &Humdrum) {
    let nothing = "DELETE FROM block; DELETE FROM slice; DELETE FROM session; DELETE FROM latency; DELETE FROM metric; \
                   DELETE FROM event; DELETE FROM calibration; DELETE FROM meta WHERE key = 'finished'; \
                   UPDATE subject SET version = '', origin = '', fingerprint = '', build = '[]'";
    odd(at, nothing);
}

/// All files below a folder, with their bytes.
fn contents(folder: &Path, into: &mut Vec<(PathBuf, Vec<u8>)>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            contents(&path, into);
        } else {
            let bytes = fs::read(&path).expect("read");
            into.push((path, bytes));
        }
    }
}

pub(super) fn inputs(at: &Humdrum) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    ["s1", "s2", "s3", "odd"].iter().for_each(|folder| contents(&at.path(folder), &mut all));
    all
}

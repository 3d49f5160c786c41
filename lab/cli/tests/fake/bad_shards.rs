//! What people merge by mistake or after an accident, in one table: what is refused names the folder and what to do, leaves nothing and
//! changes no input; what is accepted says so in the summary.

mod kinds;
mod make;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output};

use crate::common::{Humdrum, text_of};
use crate::shards::measured;
use kinds::{ACCEPTED, Kind, REFUSED};
use make::{copy_whole, inputs, odd};

fn check(good: &Humdrum, kind: &Kind) {
    let at = Humdrum::new();
    ["s1", "s2", "s3"].iter().for_each(|folder| copy_whole(&good.path(folder), &at.path(folder)));
    (kind.make)(&at);
    let before = inputs(&at);
    let output = at.run(&[&["merge"], kind.merged, &["-o", "m", "--quiet"]].concat());
    let complaint = text_of(&output.stderr);
    assert_eq!(output.status.code(), Some(kind.code), "{}: {complaint}", kind.name);
    assert!(before == inputs(&at), "{}: an input was changed", kind.name);
    let parts = fs::read_dir(at.folder()).expect("listed").flatten();
    let parts: Vec<_> = parts
        .map(|entry| entry.file_name())
        .filter(|name| name.to_string_lossy().contains(".part"))
        .collect();
    assert!(parts.is_empty(), "{}: {parts:?}", kind.name);
    if kind.code == 2 {
        let (what, hint) = complaint.split_once("\n help: ").expect("a hint");
        assert!(kind.says.iter().all(|said| what.contains(said)), "{}: {complaint}", kind.name);
        assert!(hint.contains(kind.hint), "{}: {complaint}", kind.name);
        assert!(!at.path("m").exists() && !what.contains(".part"), "{}: {complaint}", kind.name);
        return;
    }
    let warnings = at.summary("m")["warnings"].to_string();
    assert!(kind.says.iter().all(|said| warnings.contains(said)), "{}: {warnings}", kind.name);
    assert!(!kind.says.is_empty() || warnings == "null", "{}: {warnings}", kind.name);
}

#[test]
fn what_cannot_be_merged_is_refused_by_name_and_nothing_is_left_or_changed() {
    let good = measured();
    REFUSED.iter().for_each(|kind| check(&good, kind));
}

#[test]
fn what_is_doubtful_is_merged_and_told() {
    let good = measured();
    ACCEPTED.iter().for_each(|kind| check(&good, kind));
}

/// The program as another user, who may read the shards and write to one folder only. `None` where this user may not do that.
fn as_another_user(at: &Humdrum, args: &[&str]) -> Option<Output> {
    let (home, program) = (at.path("theirs"), at.path("humdrum"));
    fs::create_dir_all(&home).expect("made");
    fs::set_permissions(&home, fs::Permissions::from_mode(0o777)).expect("set");
    if !program.exists() {
        fs::copy(env!("CARGO_BIN_EXE_humdrum"), &program).expect("copied");
    }
    let mut command = Command::new(&program);
    command.args(args).current_dir(at.folder()).env("HUMDRUM_CACHE", home.join("cache")).env("NO_COLOR", "1");
    // Only root may become another user.
    command.uid(65534).gid(65534).output().ok()
}

#[test]
fn shards_of_another_user_are_read_where_they_may_be_and_named_where_not() {
    let at = measured();
    odd(&at, "DROP TABLE plan_run; PRAGMA user_version = 9");
    let before = inputs(&at);
    let Some(output) = as_another_user(&at, &["merge", "s1", "odd", "s3", "-o", "theirs/m", "--quiet"])
    else {
        return;
    };
    assert_eq!(output.status.code(), Some(1), "{}", text_of(&output.stderr));
    assert!(before == inputs(&at));
    // A report of an older schema, too.
    let output = as_another_user(&at, &["report", "odd"]).expect("started");
    assert_eq!(output.status.code(), Some(0), "{}", text_of(&output.stderr));
    fs::set_permissions(at.path("s1"), fs::Permissions::from_mode(0o700)).expect("set");
    let output = as_another_user(&at, &["merge", "s1", "odd", "-o", "theirs/n"]).expect("started");
    let complaint = text_of(&output.stderr);
    assert!(complaint.contains("cannot read s1: Permission denied"), "{complaint}");
    assert!((output.status.code(), at.path("theirs/n").exists()) == (Some(2), false));
}

//! Repositories made for the test.

use std::fs;

use super::*;

fn git_in(folder: &Path, args: &[&str]) -> String {
    let mut command = git::command();
    command.args(["-c", "user.name=it", "-c", "user.email=it@it", "-C"]).arg(folder).args(args);
    git::said(&mut command).unwrap_or_else(|said| panic!("{args:?}: {said}"))
}

/// A bare repository with one commit, and a clone of it.
fn pair() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("folder");
    let [far, here] = ["far.git", "here"].map(|name| folder.path().join(name));
    git_in(folder.path(), &["init", "-q", "--bare", "-b", "trunk", "far.git"]);
    git_in(folder.path(), &["clone", "-q", "far.git", "here"]);
    git_in(&here, &["checkout", "-q", "-b", "trunk"]);
    fs::write(here.join("main.c"), "int one;\n").expect("written");
    git_in(&here, &["add", "."]);
    git_in(&here, &["commit", "-qm", "First"]);
    git_in(&here, &["push", "-q", "origin", "trunk"]);
    assert!(far.join("HEAD").exists());
    (folder, here)
}

fn files(name: &str) -> Vec<(String, String)> {
    vec![(file_of(name), format!("{{\"{name}\": 1}}")), ("README.md".into(), format!("# {name}\n"))]
}

#[test]
fn results_are_kept_here_and_nothing_checked_out_moves() {
    let (_folder, here) = pair();
    let branch = ResultsBranch::find(&here, "past").expect("found");
    let none = branch.read().expect("read");
    assert!(none.texts.is_empty());
    assert!(branch.extend(&none, &files("a"), "One more").expect("written"));
    let one = branch.read().expect("read");
    assert!(branch.extend(&one, &files("b"), "One more").expect("written"));
    // What was read before the second one came does not count any more.
    assert!(!branch.extend(&one, &files("c"), "One more").expect("refused"));
    assert!(!branch.extend(&none, &files("c"), "One more").expect("refused"));
    let texts = branch.read().expect("read").texts;
    assert_eq!(
        texts.iter().map(|(name, _)| &name[..]).collect::<Vec<_>>(),
        ["checks/a.json", "checks/b.json"]
    );
    assert_eq!(texts[0].1, "{\"a\": 1}");
    assert_eq!(git_in(&here, &["show", "past:README.md"]), "# b\n");
    assert_eq!(git_in(&here, &["status", "--porcelain", "--branch"]).lines().count(), 1);
    assert_eq!(git_in(&here, &["log", "--format=%s", "past"]), "One more\nOne more\n");
}

#[test]
fn a_remote_is_pushed_to_and_a_race_is_lost_once() {
    let (folder, here) = pair();
    git_in(folder.path(), &["clone", "-q", "far.git", "there"]);
    let [mine, theirs] = [here, folder.path().join("there")]
        .map(|path| ResultsBranch::find(&path, "origin/past/kept").expect("found"));
    let (a, b) = (mine.read().expect("read"), theirs.read().expect("read"));
    assert!(mine.extend(&a, &files("a"), "x").expect("pushed"));
    assert!(!theirs.extend(&b, &files("b"), "x").expect("refused"));
    let b = theirs.read().expect("read");
    assert!(theirs.extend(&b, &files("b"), "x").expect("pushed"));
    assert_eq!(mine.read().expect("read").texts.len(), 2);
    let names = git_in(&folder.path().join("there"), &["for-each-ref", "--format=%(refname)"]);
    assert!(!names.contains("refs/humdrum"), "{names}");
    assert_eq!(
        git_in(&folder.path().join("far.git"), &["branch", "--list", "--format=%(refname:short)"]),
        "past/kept\ntrunk\n"
    );
}

#[test]
fn what_is_not_for_results_is_refused() {
    let (folder, here) = pair();
    git_in(&here, &["branch", "work"]);
    git_in(&here, &["worktree", "add", "-q", "../beside", "-b", "beside"]);
    let refused =
        |path: &Path, typed: &str| ResultsBranch::find(path, typed).expect_err("refused").to_string();
    assert!(refused(folder.path(), "past").contains("no repository"));
    assert!(refused(&here, "trunk").contains("checked out"));
    assert!(refused(&here, "beside").contains("checked out"));
    assert!(refused(&here, "work").contains("something else"));
    assert!(refused(&here, "origin/trunk").contains("something else"));
    for name in ["a..b", "-x", ""] {
        assert!(refused(&here, name).contains("no name"), "{name}");
    }
    fs::remove_dir_all(folder.path().join("far.git")).expect("gone");
    let fault = ResultsBranch::find(&here, "origin/past").expect_err("gone");
    assert!(fault.exit_code() == 3 && fault.what.contains("ask for"), "{fault}");
}

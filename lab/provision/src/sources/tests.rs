//! Repositories and folders made for the test.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::*;

fn git(folder: &Path, args: &[&str]) {
    let mut command = git::command();
    command.args(["-c", "user.name=it", "-c", "user.email=it@it", "-C"]).arg(folder).args(args);
    run(&mut command).unwrap_or_else(|said| panic!("{args:?}: {said}"));
}

/// A work tree with two commits and something that git is told to ignore.
fn repository(folder: &Path) {
    git(folder, &["init", "-q", "-b", "trunk"]);
    fs::write(folder.join(".gitignore"), "*.o\n").expect("write");
    fs::create_dir(folder.join("src")).expect("folder");
    fs::write(folder.join("src/main.c"), "int one;\n").expect("write");
    fs::write(folder.join("gone.c"), "\n").expect("write");
    git(folder, &["add", "."]);
    git(folder, &["commit", "-qm", "First"]);
    git(folder, &["tag", "v1"]);
    fs::write(folder.join("src/main.c"), "int two;\n").expect("write");
    git(folder, &["rm", "-q", "gone.c"]);
    git(folder, &["commit", "-qam", "Second"]);
    fs::write(folder.join("src/main.o"), "object").expect("write");
}

/// Names and contents of everything below a folder, with the times of change.
fn state(folder: &Path) -> Vec<(PathBuf, SystemTime, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(&folder).expect("folder").flatten().map(|entry| entry.path()) {
            let changed = path.symlink_metadata().and_then(|meta| meta.modified()).expect("time");
            found.push((path.clone(), changed, fs::read(&path).unwrap_or_default()));
            if path.is_dir() {
                open.push(path);
            }
        }
    }
    found.sort();
    found
}

fn placed(sources: &Sources) -> tempfile::TempDir {
    let to = tempfile::tempdir().expect("folder");
    fs::create_dir(to.path().join("tree")).expect("folder");
    sources.place(&to.path().join("tree"), &Interrupt::new()).expect("placed");
    to
}

#[test]
fn revisions_are_placed_and_the_repository_is_left_as_it_is() {
    let folder = tempfile::tempdir().expect("folder");
    repository(folder.path());
    let before = state(folder.path());
    let (old, new) = (find(folder.path(), Some("v1")), find(folder.path(), Some("trunk")));
    let (old, new) = (old.expect("v1"), new.expect("trunk"));
    assert!(old.about.ends_with(": First") && new.about.contains("commit"), "{}", old.about);
    assert_ne!(old.identity(), new.identity());
    let id = new.commit().expect("a commit");
    assert!(id.len() == 40 && find(folder.path(), Some(id)).expect("by id") == new);
    assert_eq!(find(folder.path(), Some("HEAD")).expect("HEAD").identity(), new.identity());
    assert_eq!(old.read("src/main.c").as_deref(), Some("int one;\n"));
    assert!(old.has("gone.c") && !new.has("gone.c") && old.read("none").is_none());

    let place = placed(&old);
    let tree = place.path().join("tree");
    assert_eq!(fs::read_to_string(tree.join("src/main.c")).expect("read"), "int one;\n");
    assert!(!tree.join("src/main.o").exists() && !tree.join(".git").exists());
    let changed = |below: &str| fs::metadata(tree.join(below)).expect("placed").modified().expect("time");
    assert_eq!(changed("src/main.c"), changed("gone.c"), "none looks newer than another");
    let kept = changed(".gitignore");
    new.place(&tree, &Interrupt::new()).expect("placed over it");
    assert_eq!(fs::read_to_string(tree.join("src/main.c")).expect("read"), "int two;\n");
    assert!(!tree.join("gone.c").exists());
    assert!(changed(".gitignore") == kept && changed("src/main.c") > kept);
    assert_eq!(state(folder.path()), before);
}

/// A work tree with a submodule `lib/inner`, which has a submodule `deep`.
fn with_submodules(folder: &Path) -> PathBuf {
    let [deep, inner, outer] = ["deep", "inner", "outer"].map(|name| folder.join(name));
    for path in [&deep, &inner, &outer] {
        fs::create_dir(path).expect("folder");
        repository(path);
    }
    let add = |to: &Path, from: &Path, below: &str| {
        let from = from.display().to_string();
        git(to, &["-c", "protocol.file.allow=always", "submodule", "add", "-q", &from, below]);
        git(to, &["commit", "-qm", "With a submodule"]);
    };
    add(&inner, &deep, "deep");
    add(&outer, &inner, "lib/inner");
    git(&outer, &["-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init", "--recursive"]);
    outer
}

#[test]
fn submodules_are_placed_where_they_are_and_named_where_not() {
    let folder = tempfile::tempdir().expect("folder");
    let outer = with_submodules(folder.path());
    let sources = find(&outer, Some("HEAD")).expect("HEAD");
    let place = placed(&sources);
    let tree = place.path().join("tree");
    for below in ["src/main.c", "lib/inner/src/main.c", "lib/inner/deep/src/main.c"] {
        assert_eq!(fs::read_to_string(tree.join(below)).expect(below), "int two;\n");
    }
    assert!(!sources.about.contains("without"), "{}", sources.about);
    sources.place(&tree, &Interrupt::new()).expect("placed over it");
    let files = find(&outer, None).expect("files");
    let place = placed(&files);
    assert!(place.path().join("tree/lib/inner/deep/src/main.c").exists());

    fs::remove_dir_all(outer.join(".git/modules/lib/inner/modules")).expect("removed");
    let without = find(&outer, Some("HEAD")).expect("HEAD");
    assert!(without.about.ends_with(", without its submodules lib/inner/deep"), "{}", without.about);
    assert!(without.identity().expect("a name").ends_with(" without lib/inner/deep"));
    assert!(!placed(&without).path().join("tree/lib/inner/deep/src").exists());
}

#[test]
fn bare_repositories_need_a_revision() {
    let (folder, bare) = (tempfile::tempdir().expect("folder"), tempfile::tempdir().expect("folder"));
    repository(folder.path());
    let to = bare.path().join("it.git");
    run(git::command().args(["clone", "-q", "--bare"]).arg(folder.path()).arg(&to)).expect("clone");
    let fault = find(&to, None).expect_err("no files");
    assert!(fault.exit_code() == 2 && fault.hint.expect("hint").ends_with("#trunk"));
    let place = placed(&find(&to, Some("v1")).expect("v1"));
    assert!(place.path().join("tree/gone.c").exists());
    let fault = find(&to, Some("v9")).expect_err("unknown");
    assert!(fault.what.contains("no revision `v9`") && fault.hint.is_some());
    assert!(find(&to, Some("--all")).is_err() && find(&to, Some("trunk:src")).is_err());
}

#[test]
fn present_files_count_as_they_are_but_not_what_a_build_made() {
    let folder = tempfile::tempdir().expect("folder");
    repository(folder.path());
    let sources = find(folder.path(), None).expect("files");
    assert!(sources.about.contains("its present files, after commit"), "{}", sources.about);
    let before = sources.identity().expect("hash");
    assert!(sources.has("src/main.c") && !sources.has("src/main.o") && !sources.has("gone.c"));
    fs::write(folder.path().join("src/main.o"), "another").expect("write");
    assert_eq!(sources.identity().expect("hash"), before);
    fs::write(folder.path().join("src/new.c"), "int new;\n").expect("write");
    assert_ne!(sources.identity().expect("hash"), before);
    let place = placed(&sources);
    assert!(place.path().join("tree/src/new.c").exists() && !place.path().join("tree/src/main.o").exists());
}

#[test]
fn a_plain_folder_is_copied_with_times_links_and_modes() {
    let folder = tempfile::tempdir().expect("folder");
    let script = folder.path().join("configure");
    fs::write(&script, "#!/bin/sh\n").expect("write");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o555)).expect("mode");
    symlink("configure", folder.path().join("link")).expect("link");
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    fs::File::open(&script).expect("open").set_modified(old).expect("time");
    let sources = find(folder.path(), None).expect("files");
    let before = sources.identity().expect("hash");
    let place = placed(&sources);
    let copy = place.path().join("tree/configure").metadata().expect("copied");
    assert_eq!((copy.modified().expect("time"), copy.permissions().mode() & 0o111), (old, 0o111));
    assert!(place.path().join("tree/link").is_symlink());
    fs::set_permissions(&script, fs::Permissions::from_mode(0o444)).expect("mode");
    assert_ne!(sources.identity().expect("hash"), before);
    let fault = find(folder.path(), Some("v1")).expect_err("no repository");
    assert!(fault.exit_code() == 2 && fault.hint.expect("hint").contains("leave #v1 out"));
    assert_eq!(find(Path::new("/no/such"), None).expect_err("nothing").exit_code(), 2);
}

#[test]
fn patches_change_the_copy_or_say_what_does_not_fit() {
    let folder = tempfile::tempdir().expect("folder");
    repository(folder.path());
    let patch_file = folder.path().join("it.patch");
    let diff = run(git::command().arg("-C").arg(folder.path()).args(["diff", "v1", "trunk"])).expect("diff");
    fs::write(&patch_file, diff).expect("write");
    let (old, new) = (find(folder.path(), Some("v1")), find(folder.path(), Some("trunk")));
    let place = placed(&old.expect("v1"));
    patch(&place.path().join("tree"), &patch_file).expect("fits");
    assert_eq!(fs::read_to_string(place.path().join("tree/src/main.c")).expect("read"), "int two;\n");
    let place = placed(&new.expect("trunk"));
    let fault = patch(&place.path().join("tree"), &patch_file).expect_err("does not fit");
    assert!(fault.exit_code() == 2 && fault.what.contains("main.c"), "{fault}");
}

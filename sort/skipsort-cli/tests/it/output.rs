//! `-o`: onto inputs, through links, over what must stay, and untouched when something fails.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

use crate::harness::{NOBODY, Place, lines, run, sorted};

#[test]
fn onto_an_input() {
    let place = Place::new();
    let input = lines(60_000, 6);
    for memory in ["-S1M", "-S64M"] {
        place.put("file", &input);
        assert_eq!(place.run(&[memory, "-o", "file", "file"]).2, 0);
        assert!(place.get("file") == sorted(&input));
    }
    assert_eq!(place.names(), ["file"]);
}

#[test]
fn merging_onto_an_input() {
    let place = Place::new();
    place.put("a", "a\nc\n");
    place.put("b", "b\n");
    assert_eq!(place.run(&["-m", "-o", "a", "a", "b"]).2, 0);
    assert_eq!(place.get("a"), b"a\nb\nc\n");
    // A file with two names is written in place.
    place.put("a", "a\nc\n");
    std::fs::hard_link(place.path("a"), place.path("other")).unwrap();
    assert_eq!(place.run(&["-m", "-o", "a", "a", "b"]).2, 0);
    assert_eq!(place.get("other"), b"a\nb\nc\n");
}

#[test]
fn links_and_permissions_stay() {
    let place = Place::new();
    place.put("file", "b\na\n");
    std::fs::set_permissions(place.path("file"), std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink("file", place.path("link")).unwrap();
    assert_eq!(place.run(&["-o", "link", "file"]).2, 0);
    assert!(std::fs::symlink_metadata(place.path("link")).unwrap().is_symlink());
    let file = std::fs::metadata(place.path("file")).unwrap();
    assert_eq!(file.permissions().mode() & 0o777, 0o640);
    assert_eq!(place.get("file"), b"a\nb\n");
    std::fs::hard_link(place.path("file"), place.path("twin")).unwrap();
    assert_eq!(place.run(&["-r", "-o", "file", "file"]).2, 0);
    assert_eq!(place.get("twin"), b"b\na\n");
    assert_eq!(std::fs::metadata(place.path("twin")).unwrap().nlink(), 2);
}

#[test]
fn a_link_to_nothing_yet() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder")).unwrap();
    symlink("folder/next", place.path("link")).unwrap();
    symlink("real", place.path("folder/next")).unwrap();
    assert_eq!(place.run_with(&["-o", "link"], b"b\na\n").2, 0);
    assert!(std::fs::symlink_metadata(place.path("link")).unwrap().is_symlink());
    assert_eq!(place.get("folder/real"), b"a\nb\n");
    symlink("circle", place.path("circle")).unwrap();
    let (_, said, code) = place.run_with(&["-o", "circle"], b"b\na\n");
    assert_eq!(code, 2, "{said}");
    assert!(std::fs::symlink_metadata(place.path("circle")).unwrap().is_symlink());
}

#[test]
fn over_the_longest_name() {
    let place = Place::new();
    let name = "n".repeat(255);
    for round in [&b"b\na\n"[..], b"d\nc\n"] {
        let (_, said, code) = place.run_with(&["-o", &name], round);
        assert_eq!(code, 0, "{said}");
        assert_eq!(place.get(&name), sorted(round));
    }
    assert_eq!(place.names(), [name]);
}

#[test]
fn the_group_stays() {
    const GROUP: u32 = 1234;
    let place = Place::new();
    let file = place.put("file", "b\na\n");
    if chown(&file, None, Some(GROUP)).is_err() {
        eprintln!("skipped: groups cannot be given here");
        return;
    }
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o660)).unwrap();
    let inode = std::fs::metadata(&file).unwrap().ino();
    assert_eq!(place.run(&["-o", "file", "file"]).2, 0);
    let now = std::fs::metadata(&file).unwrap();
    assert_eq!((now.gid(), now.mode() & 0o777), (GROUP, 0o660));
    assert_ne!(now.ino(), inode, "replaced");
    // Who may not give it that group writes in place.
    chown(&file, Some(NOBODY), None).unwrap();
    let Some(command) = place.unprivileged(["-r", "-o", "file", "file"]) else { return };
    std::fs::set_permissions(place.folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let inode = now.ino();
    assert!(run(command, b"").status.success());
    let now = std::fs::metadata(&file).unwrap();
    assert_eq!((now.gid(), now.ino()), (GROUP, inode));
    assert_eq!(place.get("file"), b"b\na\n");
}

#[test]
fn new_files_have_the_usual_permissions() {
    let place = Place::new();
    assert_eq!(place.run_with(&["-o", "new"], b"b\na\n").2, 0);
    place.put("reference", "");
    let mode = |name| std::fs::metadata(place.path(name)).unwrap().permissions().mode();
    assert_eq!(mode("new"), mode("reference"));
    assert_eq!(place.get("new"), b"a\nb\n");
}

#[test]
fn untouched_when_an_input_is_missing() {
    let place = Place::new();
    place.put("out", "old");
    for args in [&["-o", "out", "missing"][..], &["-m", "-o", "out", "missing"], &["-o", "out", "."]] {
        let (_, said, code) = place.run(args);
        assert_eq!(code, 2, "{args:?}");
        assert!(said.starts_with("skipsort: cannot read"), "{said}");
        assert_eq!(place.get("out"), b"old");
    }
    assert_eq!(place.names(), ["out"]);
}

#[test]
fn a_device_is_written_in_place() {
    let place = Place::new();
    assert_eq!(place.run_with(&["-o", "/dev/null"], b"b\na\n").2, 0);
    let (out, _, code) = place.run_with(&["-o", "/dev/stdout"], b"b\na\n");
    assert_eq!((out.as_slice(), code), (&b"a\nb\n"[..], 0));
}

#[test]
fn a_folder_that_is_missing_is_named() {
    let place = Place::new();
    let (_, said, code) = place.run_with(&["-o", "no/such/file"], b"a\n");
    assert_eq!(code, 2);
    assert!(said.contains("no/such/file"), "{said}");
}

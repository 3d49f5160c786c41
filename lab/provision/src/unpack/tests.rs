//! Honest archives come out as they went in; dishonest ones leave nothing behind.

use super::*;
use humdrum_contract::Silent;
use proptest::prelude::*;
use std::io::Write;

/// An archive of (name, kind, link or content), built without the checks that builders make.
fn archive(entries: &[(&str, EntryType, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, kind, text) in entries {
        let mut header = tar::Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_mode(0o4755);
        let content = if *kind == EntryType::Regular { text.as_bytes() } else { &[] };
        if content.is_empty() {
            header.as_old_mut().linkname[..text.len()].copy_from_slice(text.as_bytes());
        }
        header.set_size(content.len() as u64);
        header.set_cksum();
        builder.append(&header, content).expect("append");
    }
    builder.into_inner().expect("archive")
}

fn unpack(entries: &[(&str, EntryType, &str)]) -> (tempfile::TempDir, Outcome<()>) {
    let folder = tempfile::tempdir().expect("folder");
    let outcome = tar(&archive(entries)[..], &folder.path().join("in/build"), &Interrupt::new(), &Silent);
    (folder, outcome)
}

#[test]
fn honest_archives_keep_bits_and_links() {
    let (folder, outcome) = unpack(&[
        ("./bin/", EntryType::Directory, ""),
        ("./bin/tool", EntryType::Regular, "run me"),
        ("bin/same", EntryType::Link, "./bin/tool"),
        ("lib/tool.so", EntryType::Symlink, "../bin/./tool"),
    ]);
    outcome.expect("honest");
    let build = folder.path().join("in/build");
    assert_eq!(fs::read_to_string(build.join("lib/tool.so")).expect("link"), "run me");
    assert_eq!(fs::read_to_string(build.join("bin/same")).expect("hard link"), "run me");
    let mode = fs::metadata(build.join("bin/tool")).expect("meta").permissions().mode();
    assert_eq!(mode & 0o7777, 0o755, "set-uid bits are left out");
    assert!(!folder.path().join("in/build.tmp").exists());
}

#[test]
fn dishonest_archives_are_refused_whole() {
    use EntryType::{Block, Char, Fifo, Link, Regular, Symlink};
    let cases: &[&[(&str, EntryType, &str)]] = &[
        &[("../out", Regular, "x")],
        &[("/tmp/humdrum-test-out", Regular, "x")],
        &[("a/../../out", Regular, "x")],
        &[("link", Symlink, "/etc")],
        &[("link", Symlink, "../..")],
        &[("a/link", Symlink, "../../out")],
        &[("here", Symlink, "."), ("up", Symlink, "here/..")],
        &[("d", Symlink, "."), ("d/file", Regular, "x")],
        &[("hard", Link, "../../../etc/passwd")],
        &[("hard", Link, "/etc/passwd")],
        &[("soft", Symlink, "elsewhere"), ("hard", Link, "soft")],
        &[("device", Char, "")],
        &[("device", Block, "")],
        &[("pipe", Fifo, "")],
    ];
    for case in cases {
        let (folder, outcome) = unpack(case);
        assert!(outcome.expect_err("refused").what.contains("not honest"), "{case:?}");
        let left: Vec<_> = fs::read_dir(folder.path().join("in")).expect("in").collect();
        assert!(left.is_empty(), "{case:?} left {left:?}");
        assert_eq!(fs::read_dir(folder.path()).expect("folder").count(), 1);
    }
}

#[test]
fn a_name_twice_is_refused() {
    let (_folder, outcome) = unpack(&[("a", EntryType::Regular, "x"), ("a", EntryType::Regular, "y")]);
    assert!(outcome.expect_err("twice").what.contains("File exists"));
}

#[test]
fn damage_and_ctrl_c_leave_nothing() {
    let folder = tempfile::tempdir().expect("folder");
    let build = folder.path().join("build");
    let whole = archive(&[("file", EntryType::Regular, "long enough to be cut")]);
    let fault = tar(&whole[..520], &build, &Interrupt::new(), &Silent).expect_err("cut");
    assert_eq!(fault.exit_code(), 3);
    assert!(txz(&b"not xz"[..], &build, &Interrupt::new(), &Silent).is_err());
    let stop = Interrupt::new();
    stop.set();
    assert_eq!(tar(&whole[..], &build, &stop, &Silent).expect_err("interrupted").exit_code(), 130);
    assert_eq!(fs::read_dir(folder.path()).expect("folder").count(), 0);
}

#[test]
fn a_jar_without_a_build_is_refused() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("some.jar");
    let mut zip = zip::ZipWriter::new(File::create(&path).expect("create"));
    zip.start_file("readme", zip::write::SimpleFileOptions::default()).expect("start");
    zip.write_all(b"nothing here").expect("write");
    zip.finish().expect("finish");
    let build = folder.path().join("build");
    let fault = jar(&path, &build, &Interrupt::new(), &Silent).expect_err("empty");
    assert!(fault.what.contains("no .txz"));
    fs::write(&path, "not a jar").expect("write");
    assert!(jar(&path, &build, &Interrupt::new(), &Silent).expect_err("foreign").what.contains("damaged"));
}

proptest! {
    /// Against the kernel's own idea of where a link leads: what is let through never resolves to the outside.
    #[test]
    fn links_that_are_let_through_stay_inside(parts in proptest::collection::vec("(\\.|\\.\\.|a|b)", 1..8), depth in 0_usize..3) {
        let link = PathBuf::from(parts.join("/"));
        if stays_inside(&link, depth) {
            let mut height = depth as i64;
            for part in link.components() {
                height += match part { Component::ParentDir => -1, Component::Normal(_) => 1, _ => 0 };
                prop_assert!(height >= 0);
            }
        }
    }
}

//! Valid archives are unpacked unchanged; invalid ones leave no file.

use super::place::stays_inside;
use super::*;
use humdrum_contract::Silent;
use proptest::prelude::*;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Component;

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

/// A zip of (name, bits, content); bits of a link make its content a target.
fn zip_of(path: &Path, files: &[(&str, u32, &str)]) {
    let mut zip = zip::ZipWriter::new(File::create(path).expect("create"));
    for (name, mode, content) in files {
        let options = zip::write::SimpleFileOptions::default();
        if *mode == LINK {
            zip.add_symlink(*name, *content, options).expect("link");
        } else {
            zip.start_file(*name, options.unix_permissions(*mode)).expect("start");
            zip.write_all(content.as_bytes()).expect("write");
        }
    }
    zip.finish().expect("finish");
}

const LINK: u32 = u32::MAX;

fn job<'a>(
    folder: &'a Path,
    choose: &'a dyn Fn(&Path) -> Option<PathBuf>,
    interrupt: &'a Interrupt,
) -> Job<'a> {
    Job { folder, choose, interrupt, progress: &Silent }
}

#[test]
fn of_a_zip_only_what_is_chosen_comes_out_and_programs_run() {
    let folder = tempfile::tempdir().expect("folder");
    let (path, build) = (folder.path().join("dist.zip"), folder.path().join("build"));
    let files = [
        ("dist/bin/serverd", 0o644, "\x7fELF and more"),
        ("dist/bin/tool", 0o755, "ab"),
        ("dist/readme", 0o644, "#"),
        ("dist/lib/one.so", LINK, "../bin/tool"),
        ("dist/../../outside", 0o644, "never looked at, because not chosen"),
    ];
    zip_of(&path, &files);
    let choose = |path: &Path| {
        let inside = path.strip_prefix("dist").ok()?;
        (inside != Path::new("readme") && inside.starts_with("bin") || inside.starts_with("lib"))
            .then(|| inside.to_path_buf())
    };
    let interrupt = Interrupt::new();
    zip(&path, &job(&build, &choose, &interrupt)).expect("honest");
    let mode = |name: &str| fs::metadata(build.join(name)).expect("meta").permissions().mode() & 0o777;
    assert_eq!((mode("bin/serverd"), mode("bin/tool")), (0o755, 0o755));
    assert_eq!(fs::read_to_string(build.join("lib/one.so")).expect("link"), "ab");
    assert!(!build.join("readme").exists());
    let all = zip(&path, &job(&folder.path().join("all"), &everything, &interrupt));
    assert!(all.expect_err("dishonest").what.contains("not honest"));
    assert!(!folder.path().join("outside").exists() && !folder.path().join("all").exists());
}

#[test]
fn links_out_of_a_zip_are_refused() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("dist.zip");
    zip_of(&path, &[("lib/etc", LINK, "/etc")]);
    let fault = zip(&path, &job(&folder.path().join("build"), &everything, &Interrupt::new()));
    assert!(fault.expect_err("refused").what.contains("not honest"));
}

#[test]
fn a_compressed_tar_is_read_through_its_jar() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("some.jar");
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(&archive(&[("bin/serverd", EntryType::Regular, "it")])).expect("compress");
    let mut zip = zip::ZipWriter::new(File::create(&path).expect("create"));
    zip.start_file("Mac.tar.gz", zip::write::SimpleFileOptions::default()).expect("start");
    zip.start_file("Linux-amd64.tar.gz", zip::write::SimpleFileOptions::default()).expect("start");
    zip.write_all(&gz.finish().expect("gz")).expect("write");
    zip.finish().expect("finish");
    let build = folder.path().join("build");
    tar_inside(&path, "Linux-amd64.tar.gz", &job(&build, &everything, &Interrupt::new())).expect("unpacks");
    assert_eq!(fs::read_to_string(build.join("bin/serverd")).expect("file"), "it");
}

/// A Debian package: the magic, then members of (name, content).
fn deb_of(path: &Path, members: &[(&str, &[u8])]) {
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, content) in members {
        bytes
            .extend(format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, content.len()).bytes());
        bytes.extend_from_slice(content);
        bytes.resize(bytes.len().next_multiple_of(2), b'\n');
    }
    fs::write(path, bytes).expect("write");
}

#[test]
fn packages_are_laid_over_each_other_without_links_out() {
    use EntryType::{Regular, Symlink};
    let folder = tempfile::tempdir().expect("folder");
    let names = ["one.deb", "two.deb"].map(|name| folder.path().join(name));
    let one =
        archive(&[("./usr/lib/a.so", Regular, "a"), ("./usr/bin/awk", Symlink, "/etc/alternatives/awk")]);
    let two = archive(&[("./usr/lib/b.so", Regular, "b"), ("./usr/lib/c.so", Symlink, "b.so")]);
    let odd: &[u8] = b"2.0\n.";
    deb_of(&names[0], &[("debian-binary", odd), ("control.tar", b""), ("data.tar/", &one)]);
    deb_of(&names[1], &[("data.tar", &two)]);
    let build = folder.path().join("build");
    let interrupt = Interrupt::new();
    debs(&names, &job(&build, &everything, &interrupt)).expect("unpacks");
    assert_eq!(fs::read_to_string(build.join("usr/lib/a.so")).expect("a"), "a");
    assert_eq!(fs::read_to_string(build.join("usr/lib/c.so")).expect("c"), "b");
    assert!(fs::symlink_metadata(build.join("usr/bin/awk")).is_err(), "leads out of the folder");

    deb_of(&names[0], &[("data.tar.zst", b"")]);
    let fault = debs(&names, &job(&build, &everything, &interrupt)).expect_err("unknown compression");
    assert!(fault.what.contains("compressed in a way"), "{fault}");
    for damage in [&b"!<arch>\n"[..], b"no package"] {
        fs::write(&names[0], damage).expect("damage");
        let fault = debs(&names, &job(&build, &everything, &interrupt)).expect_err("damaged");
        assert!(fault.to_string().contains("one.deb: it is no Debian package"), "{fault}");
    }
    deb_of(&names[0], &[("data.tar", &archive(&[("../out", Regular, "x")]))]);
    assert!(debs(&names[..1], &job(&build, &everything, &interrupt)).is_err());
    assert!(!folder.path().join("out").exists());
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

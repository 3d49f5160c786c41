//! The catalogue, the settings of configurations, and input that is refused.

use std::path::Path;

use humdrum_engine_kit::testing::{print_pins, refused, value};
use humdrum_engine_mysql_family::testing::{described, pretended_build};
use humdrum_model::{Place, Setting};

use super::ENGINE;

#[test]
fn the_catalogue_and_its_configurations() {
    insta::assert_snapshot!(described(
        ENGINE,
        &["5.5.34", "5.6.14", "5.7.22", "8.0.15", "8.0.33", "8.4.8", "9.7.4"]
    ));
}

#[test]
fn catalogue_and_configurations_are_in_order() {
    let entries = super::releases();
    let number = |entry: &humdrum_engine_kit::Entry| humdrum_engine_kit::Version::of(&entry.version);
    assert!(entries.is_sorted_by(|a, b| number(a) < number(b)), "oldest first, none twice");
    assert!(entries.iter().all(humdrum_engine_kit::Entry::pinned));
    assert!(super::configurations::NAMED.is_sorted_by_key(|named| named.name));
}

fn version(text: &str) -> Place {
    Place::Version(text.into())
}

#[test]
fn unknown_releases_name_what_is_near() {
    assert!(
        refused(ENGINE, version("8.0.99"), &[], false).contains("known are 8.0.12, 8.0.15, 8.0.31, 8.0.33;")
    );
    let far = refused(ENGINE, version("8.4"), &[], false);
    assert!(far.contains("5.5.34") && far.contains("mysql@/opt/mysql"), "{far}");
    for wrong in ["", "latest", "8.0.33.1", "9.7.x", "9.7.1", "10.11.5"] {
        refused(ENGINE, version(wrong), &[], false);
    }
}

#[test]
fn series_stand_for_their_newest_and_debian_may_have_moved_on() {
    use humdrum_contract::Engine;
    let dirs = humdrum_engine_kit::testing::nowhere();
    let release = |text: &str| {
        let subject = humdrum_model::Subject {
            label: "it".into(),
            engine: "mysql".into(),
            place: version(text),
            settings: Vec::new(),
        };
        ENGINE.check(&subject, &dirs).expect(text)
    };
    let found = ["8.0", "8", "5.6", "9.7", "9", "9.7.5"].map(release);
    assert_eq!(found, ["8.0.33", "8.0.33", "5.6.14", "9.7.4", "9.7.4", "9.7.5"]);
}

#[test]
fn configurations_belong_to_releases() {
    let named = |name: &str| [Setting::Named(name.into())];
    assert!(refused(ENGINE, version("9.7"), &named("z12a"), false).contains("use z13a, z13a_dw0, z13a_gtid"));
    assert!(refused(ENGINE, version("8.0"), &named("z13a_gtid"), false).contains("use z12a, z12a_dw0"));
    assert!(
        refused(ENGINE, version("8.0"), &named("z12b"), false)
            .contains("there are z12a, z12a_dw0, z12a_sync")
    );
}

#[test]
fn settings_are_checked_for_their_form() {
    let with = |key: &str, text: &str| refused(ENGINE, version("8.0"), &[value(key, text)], false);
    assert!(with("a b", "1").contains("cannot be the name"));
    assert!(with("--port", "1").contains("cannot be the name"));
    assert!(with("sql_mode", "A\nport=1").contains("line break"));
    for ours in ["port", "Skip-Networking", "loose_mysqlx", "datadir", "init-file"] {
        assert!(with(ours, "1").contains("set by humdrum itself"), "{ours}");
    }
}

#[test]
fn folders_must_hold_a_mysql() {
    let folder = |path: &Path| refused(ENGINE, Place::Folder(path.into()), &[], false);
    assert!(folder(Path::new("/no/such/folder")).contains("there is no folder"));
    let empty = pretended_build("");
    assert!(folder(empty.path()).contains("does not say that it is MySQL"));
    std::fs::remove_file(empty.path().join("bin/mysqld")).expect("remove");
    assert!(folder(empty.path()).contains("holds no program bin/mysqld"));
    let other = pretended_build("mysqld  Ver 10.11.5-MariaDB for Linux on x86_64 (MariaDB Server)");
    assert!(folder(other.path()).contains("does not say that it is MySQL"));
    let lacking = pretended_build("");
    let script = "#!/bin/sh\necho 'mysqld: error while loading shared libraries: libaio.so.1: cannot open it' >&2\nexit 127\n";
    std::fs::write(lacking.path().join("bin/mysqld"), script).expect("write");
    assert!(folder(lacking.path()).contains("libaio.so.1, which this host does not have"));
}

#[test]
fn sources_and_strange_servers_are_refused() {
    let source = Place::Source { path: "/src".into(), revision: None };
    assert!(refused(ENGINE, source, &[], false).contains("sources"));
    let url = |text: &str, allowed| refused(ENGINE, Place::External(text.into()), &[], allowed);
    let shown = url("mysql://me:secret@h/db", false);
    assert!(shown.contains("did not start") && !shown.contains("secret"), "{shown}");
    for (text, why) in [
        ("postgres://me@h", "does not begin with mysql://"),
        ("mysql://h", "names no user"),
        ("mysql://me@h:port", "the port is not a number"),
        ("mysql://me:se%zz@h", "two hexadecimal digits"),
        ("mysql://me@h?socket=here", "not an absolute path"),
        ("mysql://me@h?ssl-mode=SOMETIMES", "SOMETIMES"),
        ("mysql://me@h?compress=1", "`compress` is not known"),
    ] {
        assert!(url(text, true).contains(why), "{text}");
    }
    let place = Place::External("mysql://me@h".into());
    assert!(refused(ENGINE, place, &[value("sync_binlog", "1")], true).contains("already running"));
}

/// Prints what goes into `debian/`.
#[test]
#[ignore = "reads the indexes of Debian's suites"]
fn pins() {
    print_pins(ENGINE);
}

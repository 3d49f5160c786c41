//! The catalogue, the settings of configurations, and input that is refused.

use std::path::Path;

use humdrum_engine_kit::testing::{print_pins, refused};
use humdrum_engine_mysql_family::testing::{described, pretended_build};
use humdrum_model::{Place, Setting};

use super::ENGINE;

#[test]
fn the_catalogue_and_its_configurations() {
    insta::assert_snapshot!(described(
        ENGINE,
        &["10.1.23", "10.2.11", "10.5.23", "10.11.5", "10.11.19", "11.8.9"]
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

#[test]
fn releases_and_configurations_that_are_not_there_are_refused() {
    let version = |text: &str| Place::Version(text.into());
    assert!(refused(ENGINE, version("10.11.6"), &[], false).contains("known are 10.11.5, 10.11.19;"));
    assert!(refused(ENGINE, version("12.3"), &[], false).contains("mariadb@/opt/mariadb"));
    let named = |name: &str| [Setting::Named(name.into())];
    assert!(refused(ENGINE, version("11.8"), &named("z12c_sync"), false).contains("use z12b, z12b_dw0"));
    assert!(refused(ENGINE, version("11.8"), &named("z12a"), false).contains("there are z12b, "));
}

#[test]
fn folders_and_servers_must_be_of_mariadb() {
    let folder = |path: &Path| refused(ENGINE, Place::Folder(path.into()), &[], false);
    let other = pretended_build("mysqld  Ver 8.0.33 for Linux on x86_64 (MySQL Community Server - GPL)");
    assert!(folder(other.path()).contains("does not say that it is MariaDB"));
    assert!(folder(Path::new("/no/such/folder")).contains("mariadb@/opt/mariadb"));
    let url = |text: &str, allowed| refused(ENGINE, Place::External(text.into()), &[], allowed);
    assert!(url("mariadb://me@h", false).contains("did not start"));
    assert!(url("postgres://me@h", true).contains("does not begin with mariadb://"));
}

/// Prints what goes into `debian/`.
#[test]
#[ignore = "reads the indexes of Debian's suites"]
fn pins() {
    print_pins(ENGINE);
}

//! Common parts of the two engines' tests.

mod life;

use humdrum_contract::{Engine, Sizing};
use humdrum_engine_kit::testing::nowhere;
use humdrum_engine_kit::{SqlEngine, Version, resolve};

use crate::flavour::Flavour;
use crate::option_file;

pub use life::{configurations_start, is_reached_over_tcp, lives_a_whole_life};

/// What the catalogue knows, and what its configurations come to, as text for a snapshot.
pub fn described(engine: SqlEngine<Flavour>, versions: &[&str]) -> String {
    let dirs = nowhere();
    let mut text = String::new();
    for release in engine.releases(&dirs) {
        let pinned = if release.pinned { "pinned" } else { "not pinned" };
        text.push_str(&format!("{:<10} {pinned}  {}\n", release.version, release.origin));
    }
    for configuration in engine.configurations() {
        text.push_str(&format!("{:<14} {}\n", configuration.name, configuration.about));
    }
    let sizing = Sizing { memory_bytes: 32 << 30, limit_bytes: None, cpus: 8, connections: 40 };
    for version in versions {
        let options = &engine.0.profile.options;
        let given = resolve(engine.name(), options, &[], Version::of(version), &sizing).expect(version);
        text.push_str(&format!("\n[{version}]\n{}", option_file::as_text(&given)));
    }
    text
}

/// A folder with a server that prints `says`.
///
/// # Panics
/// When it cannot be made.
pub fn pretended_build(says: &str) -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("bin/mysqld");
    std::fs::create_dir(folder.path().join("bin")).expect("bin");
    std::fs::write(&path, format!("#!/bin/sh\necho '{says}'\n")).expect("write");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("mode");
    folder
}

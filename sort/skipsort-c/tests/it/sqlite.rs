//! SQLite with the sorter of `examples/sqlite` returns what it returns without.

use std::path::Path;
use std::process::Command;

use crate::programs::{compiler, library};

#[test]
#[ignore = "compiles SQLite twice, a minute"]
fn the_patched_sorter_returns_what_sqlites_own_does() {
    let (Some(_), Some(_)) = (compiler("cc"), compiler("patch")) else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/sqlite/compare.sh");
    let mut command = Command::new("bash");
    command.arg(script).args(["--check", "200"]);
    // Without optimisation SQLite compiles in a fifth of the time.
    command.env("SKIPSORT_LIB", library("libskipsort_c.a")).env("CFLAGS", "-O0");
    let output = command.output().expect("bash runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(String::from_utf8_lossy(&output.stdout).contains(" statements equal; "), "{errors}");
}

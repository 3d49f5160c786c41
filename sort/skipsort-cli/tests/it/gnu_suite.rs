//! The tests of `sort` that come with GNU coreutils, against this program.
//!
//! ```sh
//! apt-get source coreutils
//! SKIPSORT_GNU_SUITE=coreutils-9.1 cargo test -p skipsort-cli gnu_suite -- --ignored
//! ```
//!
//! Perl runs the tables of cases (`sort*.pl`). Cases that fail are those of `gnu_suite.txt`, each with its reason, and no
//! others. With `SKIPSORT_GNU_SUITE_WRITE=1` the cases are written there, new ones without a reason.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::harness::{Place, lossy, run};

const LIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gnu_suite.txt");

/// Messages with GNU sort's name and without our hints.
const SORT: &str = r#"#!/bin/sh
exec 3>&1
{ "$SKIPSORT" "$@" 2>&1 >&3 3>&-; echo $? >"$CODES/$$"; } | sed -e '/^  /d' -e 's/^skipsort: /sort: /' >&2
read -r code <"$CODES/$$"
rm -f "$CODES/$$"
exit $code
"#;

/// What the tests ask the compiler for: one more than the largest numbers of 64 bits.
const LIMITS: &str =
    "#!/bin/sh\necho UINTMAX_OFLOW=18446744073709551616\necho SIZE_OFLOW=18446744073709551616\n";

#[test]
#[ignore = "needs the sources of GNU coreutils and perl"]
fn gnu_suite() {
    let Some(sources) = std::env::var_os("SKIPSORT_GNU_SUITE").map(PathBuf::from) else {
        panic!("SKIPSORT_GNU_SUITE is not set; it names the folder of coreutils' sources");
    };
    let sources = sources.canonicalize().expect("the folder of coreutils' sources");
    let place = Place::new();
    std::fs::create_dir(place.path("bin")).unwrap();
    std::fs::create_dir(place.path("codes")).unwrap();
    for (name, script) in [("bin/sort", SORT), ("bin/getlimits", LIMITS)] {
        std::fs::set_permissions(place.put(name, script), Permissions::from_mode(0o755)).unwrap();
    }
    let tables = tables(&sources);
    assert!(!tables.is_empty(), "no tests/*/sort*.pl in {}", sources.display());
    let mut failed: Vec<String> = tables.iter().flat_map(|table| failures(&place, &sources, table)).collect();
    failed.sort();
    let listed = listed();
    if std::env::var_os("SKIPSORT_GNU_SUITE_WRITE").is_some() {
        let line = |case: &String| format!("{case}\t{}\n", listed.get(case).map_or("", String::as_str));
        return std::fs::write(LIST, failed.iter().map(line).collect::<String>()).unwrap();
    }
    let known: Vec<&String> = listed.keys().collect();
    assert_eq!(failed.iter().collect::<Vec<_>>(), known, "what fails, and what {LIST} says");
    assert!(listed.values().all(|reason| !reason.is_empty()), "every case has a reason");
}

/// Their names have changed: `tests/misc` up to 9.1, `tests/sort` since.
fn tables(sources: &Path) -> Vec<PathBuf> {
    let folders = ["tests/misc", "tests/sort"].map(|folder| std::fs::read_dir(sources.join(folder)));
    let entries = folders.into_iter().flatten().flatten().map(|entry| entry.expect("an entry").path());
    let mut tables: Vec<PathBuf> = entries
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("sort")))
        .filter(|path| path.extension().is_some_and(|extension| extension == "pl"))
        .collect();
    tables.sort();
    tables
}

/// Cases of a table that fail, as `table: case: what`.
fn failures(place: &Place, sources: &Path, table: &Path) -> Vec<String> {
    let name = table.file_stem().expect("a name").to_string_lossy();
    let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").expect("PATH"));
    let mut perl = Command::new("sh");
    // The tests write what is skipped to descriptor 9.
    perl.args(["-c", "exec perl \"$@\" 9>&2", "sh", "-w"])
        .arg(format!("-I{}", sources.join("tests").display()))
        .args(["-MCuSkip", "-MCoreutils", &format!("-MCuTmpdir qw({name})")])
        .arg(table)
        .current_dir(place.folder.path())
        .env("PATH", path)
        .env("srcdir", sources)
        .env("built_programs", "sort")
        .env("LOCALE_FR_UTF8", "none")
        .env("SKIPSORT", env!("CARGO_BIN_EXE_skipsort"))
        .env("CODES", place.path("codes"))
        .stdin(Stdio::null());
    let output = run(perl, b"");
    let said = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&said);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{name}: {}", lossy(&said));
    let case = |line: &str| {
        let (case, what) = line.split_once(": test ")?.1.split_once(": ")?;
        let what = what.split_once(',').map_or(what, |(what, _)| what);
        Some(format!("{name}: {case}: {what}"))
    };
    let failures: Vec<String> = text.lines().filter_map(case).collect();
    assert_eq!(output.status.code() == Some(1), !failures.is_empty(), "{name}: {}", lossy(&said));
    failures
}

fn listed() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(LIST).unwrap_or_default();
    let pair = |line: &str| line.split_once('\t').map(|(case, reason)| (case.to_owned(), reason.to_owned()));
    text.lines().filter_map(pair).collect()
}

//! Folders of workloads: what is read, and what is refused where.

use std::path::Path;

use humdrum_workload_script::Folder;

const WORKLOAD: &str =
    "name = \"shop\"\nabout = \"orders\"\n[[test]]\nname = \"browse\"\nfile = \"browse.sql\"\n";

/// A folder of files by name and text.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

/// What a folder with this `workload.toml` and a script is refused with, its path left out, and the hint.
fn refusal(workload: &str, script: &str) -> (String, String) {
    let folder = folder(&[("workload.toml", workload), ("browse.sql", script)]);
    let fault = Folder::read(folder.path()).expect_err("refused");
    assert_eq!(fault.exit_code(), 2);
    (without(folder.path(), &fault.to_string()), fault.hint.unwrap_or_default())
}

fn without(path: &Path, text: &str) -> String {
    text.replace(&format!("{}/", path.display()), "")
}

#[test]
fn a_folder_is_read_with_its_schema_by_dialect() {
    let folder = folder(&[
        (
            "workload.toml",
            &format!("{WORKLOAD}[[test]]\nname = \"buy\"\nfile = \"buy.sql\"\ngroup = \"write\"\n"),
        ),
        ("browse.sql", "\\set id random(1, :scale)\nSELECT * FROM orders WHERE id = :id;"),
        ("buy.sql", "BEGIN; INSERT INTO orders VALUES (1); COMMIT;"),
        ("schema.sql", "CREATE TABLE orders (id bigint);"),
        ("schema.other.sql", "CREATE TABLE orders (id bigint); CREATE INDEX i ON orders (id);"),
    ]);
    let read = Folder::read(folder.path()).expect("a folder");
    assert_eq!((read.name.as_str(), read.about.as_deref()), ("shop", Some("orders")));
    let tests: Vec<_> = read.tests.iter().map(|test| (test.name.as_str(), test.group.as_str())).collect();
    assert_eq!(tests, [("browse", "read"), ("buy", "write")]);
    assert_eq!(read.tests[1].script.statements().count(), 3);
    assert_eq!(read.schema(&["any"]).expect("common").statements().count(), 1);
    assert_eq!(read.schema(&["an-other", "other"]).expect("its own").statements().count(), 2);
    assert_eq!(read.load(&["any"]), None);
}

#[test]
fn mistakes_are_named_with_file_and_line() {
    let of = |old: &str, new: &str| refusal(&WORKLOAD.replace(old, new), "SELECT 1;").0;
    let unknown = of("about", "abuot");
    assert!(unknown.starts_with("workload.toml:2:1: unknown field `abuot`"), "{unknown}");
    assert!(of("name = \"browse\"", "").starts_with("workload.toml:3:1: missing field `name`"));
    assert_eq!(of("\"shop\"", "\"my shop\""), "workload.toml:1:8: `my shop` cannot be a name");
    assert!(of("\"shop\"", "3").starts_with("workload.toml:1:8: invalid type"));
    assert_eq!(refusal("name = \"a\"\n", "").0, "workload.toml:2:1: the workload has no test");
    let again = "[[test]]\nname = \"browse\"\nfile = \"browse.sql\"\n";
    let (twice, _) = refusal(&format!("{WORKLOAD}{again}"), "SELECT 1;");
    assert_eq!(twice, "workload.toml:7:8: there is another test `browse` above");
}

#[test]
fn scripts_that_are_missing_wrong_or_empty_are_named() {
    let (missing, hint) = refusal(&WORKLOAD.replace("browse.sql", "browze.sql"), "SELECT 1;");
    assert!(missing.starts_with("workload.toml:5:8: no file `browze.sql` in "), "{missing}");
    assert_eq!(hint, "did you mean `browse.sql`?");
    let (wrong, _) = refusal(WORKLOAD, "SELECT 1;\nSELECT :id;");
    assert_eq!(wrong, "browse.sql:2:8: no variable `id` is set before this place");
    let (empty, _) = refusal(WORKLOAD, "-- nothing\n");
    assert_eq!(
        empty,
        "workload.toml:5:8: `browse.sql` has no SQL statement, so that it would measure nothing"
    );
}

#[test]
fn a_folder_without_a_workload_or_schema_says_what_to_write() {
    let empty = folder(&[]);
    let fault = Folder::read(empty.path()).expect_err("refused");
    assert!(without(empty.path(), &fault.to_string()).starts_with("workload.toml: "));
    assert!(fault.hint.expect("a hint").contains("[[test]]"));
    let bare = folder(&[("workload.toml", WORKLOAD), ("browse.sql", "SELECT 1;")]);
    let fault = Folder::read(bare.path()).expect_err("refused");
    assert_eq!(fault.hint.as_deref(), Some("write schema.sql, or schema.ENGINE.sql for each engine alone"));
    std::fs::write(bare.path().join("schema.one.sql"), "CREATE TABLE t (id bigint);").expect("written");
    let read = Folder::read(bare.path()).expect("a folder");
    assert!(read.schema(&["one"]).is_ok());
    let fault = read.schema(&["other"]).expect_err("refused");
    assert_eq!(fault.hint.as_deref(), Some("write schema.other.sql"));
}

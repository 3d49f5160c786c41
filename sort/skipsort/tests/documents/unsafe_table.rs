//! `docs/unsafe.md` lists every piece of unsafe code with its proof; this keeps it so.
//!
//!     SKIPSORT_UPDATE=1 cargo test -p skipsort --test documents unsafe_table

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const HEAD: &str = "# Unsafe code of skipsort, and its proofs

Made from the sources by `SKIPSORT_UPDATE=1 cargo test -p skipsort --test documents unsafe_table`; the same test fails where this
file and the sources differ, and where something unsafe has no proof. What callers of the library owe it is in
[SECURITY.md](../../../SECURITY.md): nothing that safe code can break.

";

/// Lines above a piece of unsafe code in which its proof may stand: attributes and the start of a statement are between.
const ABOVE: usize = 8;

struct Piece {
    item: String,
    what: &'static str,
    proof: String,
}

fn path(of: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(of)
}

/// What a line declares or contains that is unsafe.
fn what(line: &str) -> Option<&'static str> {
    let code = line.split("//").next().unwrap_or_default();
    let kinds = [
        ("unsafe impl", "impl"),
        ("unsafe trait", "trait"),
        ("unsafe extern", "foreign function"),
        ("unsafe fn ", "function"),
        ("unsafe {", "block"),
    ];
    kinds.iter().find(|(code_of, _)| code.contains(code_of)).map(|(_, what)| *what)
}

/// The comment that ends at or above a line and says why the code below is sound, or what its caller must see to.
fn proof(lines: &[&str], at: usize) -> Option<String> {
    let mark = |line: &str| line.contains("SAFETY:") || line.contains("# Safety");
    let start = (at.saturating_sub(ABOVE)..=at).rev().find(|line| mark(lines[*line]))?;
    let comment = lines[start..].iter().map(|line| line.trim()).take_while(|line| line.starts_with("//"));
    let text: Vec<&str> = comment.map(|line| line.trim_start_matches('/').trim()).collect();
    let text = text.join(" ").replace("SAFETY:", "").replace("# Safety", "Callers:").replace('|', "\\|");
    Some(text.trim().to_owned())
}

/// The function, or the type, that a line is part of.
fn item(lines: &[&str], at: usize) -> String {
    let name = |line: &str| {
        let code = line.split("//").next().unwrap_or_default().trim();
        let code =
            ["pub(crate) ", "pub ", "unsafe "].iter().fold(code, |code, word| code.trim_start_matches(word));
        match code.split_once(' ')?.0 {
            "fn" => Some(code[3..].split(['(', '<']).next()?.to_owned()),
            "trait" => Some(code[6..].split([':', ' ']).next()?.to_owned()),
            first if first.starts_with("impl") => Some(code.split(" {").next()?.to_owned()),
            _ => None,
        }
    };
    lines[..=at].iter().rev().find_map(|line| name(line)).unwrap_or_else(|| "(file)".into())
}

fn pieces(source: &str) -> Vec<Piece> {
    let lines: Vec<&str> = source.lines().collect();
    let found = lines.iter().enumerate().filter_map(|(at, line)| Some((at, what(line)?)));
    found
        .map(|(at, what)| Piece {
            item: item(&lines, at),
            what,
            proof: proof(&lines, at).unwrap_or_else(|| panic!("no proof above: {}", lines[at])),
        })
        .collect()
}

fn table() -> String {
    let mut files: Vec<PathBuf> =
        fs::read_dir(path("src")).expect("src").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let mut text = HEAD.to_owned();
    for file in files {
        let pieces = pieces(&fs::read_to_string(&file).expect("a source file"));
        if pieces.is_empty() {
            continue;
        }
        let name = file.file_name().expect("a name").to_string_lossy();
        writeln!(text, "## {name}: {}\n\n| where | what | proof |\n|---|---|---|", pieces.len())
            .expect("a string");
        for Piece { item, what, proof } in pieces {
            writeln!(text, "| `{item}` | {what} | {proof} |").expect("a string");
        }
        text.push('\n');
    }
    text
}

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn every_piece_of_unsafe_code_is_listed_with_its_proof() {
    let (file, table) = (path("docs/unsafe.md"), table());
    if std::env::var_os("SKIPSORT_UPDATE").is_some() {
        fs::write(&file, &table).expect("docs/unsafe.md can be written");
    }
    let listed = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        listed == table,
        "docs/unsafe.md is out of date: SKIPSORT_UPDATE=1 cargo test -p skipsort --test documents unsafe_table"
    );
}

#[test]
#[should_panic(expected = "no proof above")]
fn a_missing_proof_is_noticed() {
    pieces("fn f() {\n    unsafe { g() }\n}\n");
}

//! The header and the Rust sources agree: names, constants, and what C thinks of the structs.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::mem::offset_of;
use std::path::Path;

use skipsort_c::{
    Options, Row, SKIPSORT_BAD_ARGUMENT, SKIPSORT_DESCENDING, SKIPSORT_NO_MEMORY, SKIPSORT_OK,
    SKIPSORT_PANIC, SKIPSORT_STOPPED, SKIPSORT_UNSTABLE,
};

use crate::programs::{Program, compiler};

const HEADER: &str = include_str!("../../include/skipsort.h");

/// Words of a text that begin with `skipsort_` and that `after` follows.
fn functions(text: &str, before: &str) -> BTreeSet<String> {
    let code = text
        .lines()
        .filter(|line| line.contains(before) && !line.starts_with(" *") && !line.starts_with("/*"));
    let names = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '('));
    let calls = names.filter_map(|word| word.split_once('(').map(|(name, _)| name.to_owned()));
    calls.filter(|name| name.starts_with("skipsort_")).collect()
}

#[test]
fn header_and_sources_have_the_same_functions() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let texts = fs::read_dir(sources).unwrap().map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    let exported: BTreeSet<String> = texts.flat_map(|text| functions(&text, "extern \"C\" fn")).collect();
    let declared = functions(HEADER, "(");
    assert_eq!(declared, exported);
    assert_eq!(declared.len(), 9);
}

#[test]
fn c_sees_the_same_layout_and_constants() {
    let Some(cc) = compiler("cc") else { return };
    let mut text = String::from("#include <skipsort.h>\n#include <stddef.h>\n");
    let mut same = |c: &str, rust: usize| {
        writeln!(text, "_Static_assert(({c}) == {rust}, \"{c}\");").unwrap();
    };
    same("sizeof(skipsort_row)", size_of::<Row>());
    same("_Alignof(skipsort_row)", align_of::<Row>());
    same("offsetof(skipsort_row, key)", offset_of!(Row, key));
    same("offsetof(skipsort_row, length)", offset_of!(Row, length));
    same("offsetof(skipsort_row, payload)", offset_of!(Row, payload));
    same("sizeof(skipsort_options)", size_of::<Options>());
    same("_Alignof(skipsort_options)", align_of::<Options>());
    same("offsetof(skipsort_options, flags)", offset_of!(Options, flags));
    same("offsetof(skipsort_options, threads)", offset_of!(Options, threads));
    same("offsetof(skipsort_options, scratch)", offset_of!(Options, scratch));
    same("offsetof(skipsort_options, stop)", offset_of!(Options, stop));
    same("offsetof(skipsort_options, context)", offset_of!(Options, context));
    for (name, code) in [
        ("SKIPSORT_OK", SKIPSORT_OK),
        ("SKIPSORT_NO_MEMORY", SKIPSORT_NO_MEMORY),
        ("SKIPSORT_BAD_ARGUMENT", SKIPSORT_BAD_ARGUMENT),
        ("SKIPSORT_PANIC", SKIPSORT_PANIC),
        ("SKIPSORT_STOPPED", SKIPSORT_STOPPED),
    ] {
        same(name, code as usize);
    }
    same("SKIPSORT_DESCENDING", SKIPSORT_DESCENDING as usize);
    same("SKIPSORT_UNSTABLE", SKIPSORT_UNSTABLE as usize);
    text.push_str("int main(void) { return SKIPSORT_OK; }\n");
    assert_eq!(Program::of_text(&cc, &text, "layout.c", &["-std=c11"]).run(&[]), "");
}

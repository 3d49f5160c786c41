//! The header and the Rust sources agree: names, constants, and what C thinks of the structs.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::mem::offset_of;
use std::path::Path;

use skipsort_c::{
    Allocator, Options, Record, Row, SKIPSORT_BAD_ARGUMENT, SKIPSORT_DESCENDING, SKIPSORT_DISTINCT,
    SKIPSORT_END, SKIPSORT_NO_MEMORY, SKIPSORT_OK, SKIPSORT_PANIC, SKIPSORT_STOPPED, SKIPSORT_STORAGE,
    SKIPSORT_UNSTABLE, SorterOptions,
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
    assert_eq!(declared.len(), 17);
}

/// What C and Rust call the sizes of a struct and of its fields, and Rust's values.
macro_rules! layout {
    ($c:ident, $rust:ty: $($field:ident),+) => {{
        let (size, alignment) = (size_of::<$rust>(), align_of::<$rust>());
        vec![
            (concat!("sizeof(", stringify!($c), ")"), size),
            (concat!("_Alignof(", stringify!($c), ")"), alignment),
            $((concat!("offsetof(", stringify!($c), ", ", stringify!($field), ")"), offset_of!($rust, $field))),+
        ]
    }};
}

#[test]
fn c_sees_the_same_layout_and_constants() {
    let Some(cc) = compiler("cc") else { return };
    let mut text = String::from("#include <skipsort.h>\n#include <stddef.h>\n");
    let mut same = |c: &str, rust: usize| {
        writeln!(text, "_Static_assert(({c}) == {rust}, \"{c}\");").unwrap();
    };
    let structs = [
        layout!(skipsort_row, Row: key, length, payload),
        layout!(skipsort_options, Options: flags, threads, scratch, stop, context),
        layout!(skipsort_record, Record: key, key_length, payload, payload_length),
        layout!(skipsort_sorter_options, SorterOptions: memory_bytes, folder, flags, threads, stop, context),
        layout!(skipsort_allocator, Allocator: allocate, release, context),
    ];
    structs.concat().iter().for_each(|(c, rust)| same(c, *rust));
    for (name, code) in [
        ("SKIPSORT_OK", SKIPSORT_OK),
        ("SKIPSORT_NO_MEMORY", SKIPSORT_NO_MEMORY),
        ("SKIPSORT_BAD_ARGUMENT", SKIPSORT_BAD_ARGUMENT),
        ("SKIPSORT_PANIC", SKIPSORT_PANIC),
        ("SKIPSORT_STOPPED", SKIPSORT_STOPPED),
        ("SKIPSORT_STORAGE", SKIPSORT_STORAGE),
        ("SKIPSORT_END", SKIPSORT_END),
    ] {
        same(name, code as usize);
    }
    same("SKIPSORT_DESCENDING", SKIPSORT_DESCENDING as usize);
    same("SKIPSORT_UNSTABLE", SKIPSORT_UNSTABLE as usize);
    same("SKIPSORT_DISTINCT", SKIPSORT_DISTINCT as usize);
    text.push_str("int main(void) { return SKIPSORT_OK; }\n");
    assert_eq!(Program::of_text(&cc, &text, "layout.c", &["-std=c11"]).run(&[]), "");
}

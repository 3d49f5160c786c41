//! `humdrum`: finds performance regressions in databases.

fn main() {}

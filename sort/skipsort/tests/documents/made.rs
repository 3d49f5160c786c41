//! Parts of the README that are made from records, and what several of them need.

use std::fs;
use std::path::{Path, PathBuf};

/// Compares what stands between two marks of the README with what `make` makes of the repository's records; or writes it there, for
/// `SKIPSORT_UPDATE=1`. `test` is the name to type.
pub fn check((begin, end): (&str, &str), test: &str, make: impl Fn(&Path) -> String) {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let root = here.join("../..");
    if !root.join("records").exists() {
        return; // A package without the repository around it.
    }
    let readme = fs::read_to_string(here.join("README.md")).expect("the README");
    let (before, rest) = readme.split_once(begin).expect("the part begins");
    let (_, after) = rest.split_once(end).expect("the part ends");
    let expected = format!("{before}{begin}\n{}\n{end}{after}", make(&root));
    if std::env::var_os("SKIPSORT_UPDATE").is_some() {
        fs::write(here.join("README.md"), &expected).expect("the README can be written");
    } else {
        let update = format!("SKIPSORT_UPDATE=1 cargo test -p skipsort --test documents {test}");
        assert!(readme == expected, "out of date: {update}");
    }
}

/// The geometric mean of ratios.
pub fn mean(ratios: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = ratios.len() as f64;
    (ratios.map(f64::ln).sum::<f64>() / count).exp()
}

//! Every Rust file begins with a line that says its purpose.

use super::Finding;
use super::source::Source;

/// A finding if the file has no header.
pub fn check(source: &Source) -> Option<Finding> {
    let first = source.text.lines().find(|line| !line.starts_with("#![") && !line.trim().is_empty());
    let says = first.and_then(|line| line.strip_prefix("//!")).is_some_and(|words| !words.trim().is_empty());
    if !source.is_rust() || says {
        return None;
    }
    Some(Finding::new(&*source.path, "opens without `//!` lines that say what the file is for and why"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> bool {
        check(&Source { path: path.into(), text: text.into() }).is_some()
    }

    #[test]
    fn wants_words_first() {
        assert!(!found("a.rs", "//! What it is.\nfn a() {}\n"));
        assert!(!found("a.rs", "#![no_std]\n//! What it is.\n"));
        assert!(found("a.rs", "use std::fmt;\n//! Late.\n"));
        assert!(found("a.rs", "//!\n"));
        assert!(found("a.rs", ""));
        assert!(!found("a.md", "words"));
    }
}

//! What can be sorted, and that it is sorted by its bytes.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use skipsort::{Bytes, SkipSort};

fn words() -> Vec<String> {
    (0..if cfg!(miri) { 40 } else { 500 }).map(|n| format!("word {:03}", n * 7919 % 503)).collect()
}

/// The words as rows of another type have the same bytes, and so the same order.
fn check<'w, T: Bytes>(words: &'w [String], of: impl Fn(&'w str) -> T) -> Vec<T> {
    let mut sorted: Vec<&str> = words.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    let mut rows: Vec<T> = sorted.iter().map(|word| of(word)).collect();
    let name = std::any::type_name::<T>();
    assert!(rows.iter().map(T::bytes).eq(sorted.iter().map(|word| word.as_bytes())), "{name}");
    assert!(rows.is_skip_sorted(), "{name}");
    rows.reverse();
    assert!(!rows.is_skip_sorted(), "{name}");
    rows
}

/// The same, and they are sorted by it. The sort is compiled for each type of row, which takes a second.
fn check_sort<'w, T: Bytes>(words: &'w [String], of: impl Fn(&'w str) -> T) {
    let mut rows = check(words, of);
    rows.skip_sort();
    assert!(rows.iter().map(T::bytes).is_sorted(), "{}", std::any::type_name::<T>());
}

#[test]
fn strings_slices_and_what_leads_to_them() {
    let words = words();
    check_sort(&words, |word| word);
    check_sort(&words, str::to_owned);
    check_sort(&words, |word| -> [u8; 8] { word.as_bytes().try_into().expect("eight bytes") });
    check_sort(&words, |word| -> Cow<'_, Path> { Path::new(word).into() });
    check(&words, str::as_bytes);
    check(&words, |word| word.as_bytes().to_vec());
    check(&words, |word| -> Box<[u8]> { word.as_bytes().into() });
    check(&words, |word| -> Box<str> { word.into() });
    check(&words, |word| -> Arc<str> { word.into() });
    check(&words, |word| -> Rc<[u8]> { word.as_bytes().into() });
    check(&words, |word| -> Cow<'_, str> { word.into() });
    check(&words, |word| -> Cow<'_, [u8]> { word.as_bytes().to_vec().into() });
    check(&words, |word| -> OsString { word.into() });
    check(&words, |word| -> &OsStr { word.as_ref() });
    check(&words, |word| -> PathBuf { word.into() });
    check(&words, |word| -> &Path { word.as_ref() });
    check(&words, |word| -> Box<Path> { Path::new(word).into() });
}

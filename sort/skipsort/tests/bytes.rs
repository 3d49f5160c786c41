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

/// Sorts the words as rows of another type.
fn check<'w, T: Bytes>(words: &'w [String], of: impl Fn(&'w str) -> T) {
    let mut rows: Vec<T> = words.iter().map(|word| of(word)).collect();
    rows.skip_sort();
    let mut expected: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
    expected.sort();
    assert!(rows.iter().map(T::bytes).eq(expected), "{}", std::any::type_name::<T>());
    assert!(rows.is_skip_sorted());
    rows.reverse();
    assert!(!rows.is_skip_sorted());
}

#[test]
fn strings_slices_and_what_leads_to_them() {
    let words = words();
    check(&words, |word| word);
    check(&words, str::as_bytes);
    check(&words, str::to_owned);
    check(&words, |word| word.as_bytes().to_vec());
    check(&words, |word| -> Box<[u8]> { word.as_bytes().into() });
    check(&words, |word| -> Box<str> { word.into() });
    check(&words, |word| -> Arc<str> { word.into() });
    check(&words, |word| -> Rc<[u8]> { word.as_bytes().into() });
    check(&words, |word| -> Cow<'_, str> { word.into() });
    check(&words, |word| -> Cow<'_, [u8]> { word.as_bytes().to_vec().into() });
    check(&words, |word| -> [u8; 8] { word.as_bytes().try_into().expect("eight bytes") });
    check(&words, |word| -> OsString { word.into() });
    check(&words, |word| -> &OsStr { word.as_ref() });
    check(&words, |word| -> PathBuf { word.into() });
    check(&words, |word| -> &Path { word.as_ref() });
    check(&words, |word| -> Cow<'_, Path> { Path::new(word).into() });
    check(&words, |word| -> Box<Path> { Path::new(word).into() });
}

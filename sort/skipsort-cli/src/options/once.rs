//! Options that have one value.

use crate::fault::{Fault, Result};

/// An option that may be given again, but not with another value.
pub(super) fn one<T: PartialEq>(option: &str, given: Vec<T>) -> Result<Option<T>> {
    let mut given = given.into_iter();
    let first = given.next();
    if given.any(|other| Some(&other) != first.as_ref()) {
        return Err(Fault::new(format!("{option} is given twice, differently")).hint("give it once"));
    }
    Ok(first)
}

//! Which reader a file is for.

use humdrum_model::Fault;

use crate::{Reader, table};

/// Bytes of a file that readers see before one of them is chosen.
pub(crate) const HEAD_BYTES: usize = 64 << 10;

/// The reader of that name.
///
/// # Errors
/// Usage: there is none.
pub(crate) fn named(name: &str) -> Result<&'static dyn Reader, Fault> {
    table().into_iter().find(|reader| reader.name() == name).ok_or_else(|| {
        Fault::usage(format!("no format `{name}`")).hint(format!("formats: {}", names(&table())))
    })
}

/// The one reader whose format the beginning of a file has; `None` where there is none.
///
/// # Errors
/// Usage: there are several.
pub(crate) fn recognise(head: &[u8]) -> Result<Option<&'static dyn Reader>, Fault> {
    let head = String::from_utf8_lossy(&head[..head.len().min(HEAD_BYTES)]);
    let fitting: Vec<&'static dyn Reader> = table().into_iter().filter(|reader| reader.fits(&head)).collect();
    match fitting[..] {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        _ => {
            let what = format!("may be of several formats: {}", names(&fitting));
            Err(Fault::usage(what).hint(format!("say which: --format {}", fitting[0].name())))
        }
    }
}

/// A file that no reader knows.
pub(crate) fn unknown() -> Fault {
    Fault::usage("is of no format that is known")
        .hint(format!("formats: {}; --format chooses one", names(&table())))
}

fn names(readers: &[&dyn Reader]) -> String {
    readers.iter().map(|reader| reader.name()).collect::<Vec<_>>().join(", ")
}

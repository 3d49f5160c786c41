//! Readers of other tools' results; the first byte chooses one, unless `HUMDRUM_FUZZ_READER` names it.
#![no_main]

use std::sync::LazyLock;

use humdrum_import::{Found, Lines, Options, table};
use libfuzzer_sys::fuzz_target;

/// The only reader, by its place in the table.
static READER: LazyLock<Option<usize>> = LazyLock::new(|| {
    let name = std::env::var("HUMDRUM_FUZZ_READER").ok()?;
    let place = table().iter().position(|reader| reader.name() == name);
    Some(place.unwrap_or_else(|| panic!("HUMDRUM_FUZZ_READER={name}: docs/import.md has the names of readers")))
});

fuzz_target!(|input: &[u8]| {
    let Some((choice, mut rest)) = input.split_first() else { return };
    let table = table();
    let reader = table[READER.unwrap_or(usize::from(*choice) % table.len())];
    reader.fits(&String::from_utf8_lossy(rest));
    let mut watch = |_| Ok(());
    let mut lines = Lines::new(&mut rest, &mut watch);
    // A refusal is fine.
    let _ = reader.read(&mut lines, &Options::default(), &mut Found::default());
});

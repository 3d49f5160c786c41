//! Readers of other tools' results; the first byte chooses one.
#![no_main]

use humdrum_import::{Found, Lines, Options, table};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((choice, mut rest)) = input.split_first() else { return };
    let table = table();
    let reader = table[usize::from(*choice) % table.len()];
    reader.fits(&String::from_utf8_lossy(rest));
    let mut watch = |_| Ok(());
    let mut lines = Lines::new(&mut rest, &mut watch);
    // A refusal is fine.
    let _ = reader.read(&mut lines, &Options::default(), &mut Found::default());
});

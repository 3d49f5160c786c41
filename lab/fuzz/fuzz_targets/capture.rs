//! Logs of servers. The first byte chooses the format (modulo 5), and whether the patterns are written as a folder (odd).
#![no_main]

use std::fs;

use humdrum_capture::{Captured, Layout, Lines, Options, table, write};
use humdrum_fuzz::folder;
use libfuzzer_sys::fuzz_target;

const OPTIONS: Options = Options { samples: 5, seed: 1 };

fuzz_target!(|input: &[u8]| {
    let Some((choice, mut rest)) = input.split_first() else { return };
    let table = table();
    let reader = table[usize::from(*choice) % table.len()];
    reader.fits(&String::from_utf8_lossy(rest));
    let mut captured = Captured::new(OPTIONS, reader.dialect());
    let mut watch = |_| Ok(());
    let read = reader.read(&mut Lines::new(&mut rest, &mut watch), &mut captured);
    assert!(read.is_ok(), "bytes are no fault");
    let dialect = captured.dialect();
    let patterns = captured.patterns();
    if choice % 2 == 0 {
        return;
    }
    let mask = (choice & 64 == 0).then_some(7);
    let layout = Layout { name: "it", about: "fuzzed", top: 3, data: None, mask };
    let place = folder().join("captured");
    match write(patterns, dialect, &layout, &place) {
        Ok(_) => fs::remove_dir_all(&place).expect("removed"),
        Err(fault) => assert_eq!(fault.exit_code(), 2, "{fault}"),
    }
});

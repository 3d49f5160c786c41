//! CSV files, row by row.
#![no_main]

use humdrum_fuzz::write;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Err(fault) = humdrum_workload_script::fuzzing::csv(&write("it.csv", input)) {
        assert_eq!(fault.exit_code(), 2, "{fault}");
    }
});

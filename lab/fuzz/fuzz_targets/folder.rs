//! Folders of workloads. An input is `workload.toml`, then a script, then a schema, with a byte 0xff between them.
#![no_main]

use humdrum_fuzz::{folder, write};
use humdrum_workload_script::Folder;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let mut parts = input.splitn(3, |byte| *byte == 0xff);
    for name in ["workload.toml", "a.sql", "schema.sql"] {
        write(name, parts.next().unwrap_or_default());
    }
    match Folder::read(folder()) {
        Ok(read) => drop(read.fingerprint()),
        Err(fault) => assert_eq!(fault.exit_code(), 2, "{fault}"),
    }
});

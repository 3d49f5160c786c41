//! Dumps, read to their end: plain SQL, the custom format of pg_dump, mysqldump, packed or not.
#![no_main]

use humdrum_fuzz::{folder, write};
use humdrum_workload_script::Folder;
use libfuzzer_sys::fuzz_target;

const WORKLOAD: &[u8] =
    b"name = \"it\"\ndata = \"it.dump\"\n[[test]]\nname = \"a\"\nfile = \"a.sql\"\n";

fuzz_target!(|input: &[u8]| {
    write("workload.toml", WORKLOAD);
    write("a.sql", b"SELECT 1;\n");
    write("it.dump", input);
    if let Err(fault) = Folder::read(folder()) {
        assert_eq!(fault.exit_code(), 2, "{fault}");
    }
});

//! Scripts: a script that is accepted is run once, with every statement taken as sent.
#![no_main]

use std::path::PathBuf;
use std::sync::OnceLock;

use humdrum_fuzz::{text, write};
use humdrum_workload_script::fuzzing::{Always, run};
use humdrum_workload_script::{Script, Source};
use libfuzzer_sys::fuzz_target;

/// The file of every `\sample`.
fn samples() -> &'static PathBuf {
    static SAMPLES: OnceLock<PathBuf> = OnceLock::new();
    SAMPLES.get_or_init(|| write("a.csv", b"id,name\n1,a\n2,\n3,\"4\"\n"))
}

fuzz_target!(|input: &[u8]| {
    let text = text(input);
    match Script::parse_with(&Source { file: "t.sql", text: &text }, &mut Always(samples())) {
        Err(fault) => {
            assert_eq!(fault.exit_code(), 2);
            assert!(fault.to_string().starts_with("t.sql:"), "{fault}");
        }
        // Jumps lead forward alone: there cannot be more statements than letters.
        Ok(script) => match run(script) {
            Ok(statements) => assert!(statements <= text.len() as u64, "the script never ends"),
            Err(fault) => assert_eq!(fault.exit_code(), 2, "{fault}"),
        },
    }
});

//! The project's automation: `cargo xtask tidy` checks the project's rules, `cargo xtask ci` runs every check that is
//! not a test.

mod bench;
mod browser;
mod ci;
mod datafusion;
mod dist;
mod licences;
mod python;
mod reading;
mod tidy;

use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask CHORE

  tidy [--update]   check walls, addresses, headers and the ratchet; --update rewrites the ratchet
  bench NAME [ARGS] a benchmark of the project's own code; bench --help lists them, bench NAME --help has the arguments
  browser [REPORT.html [FOLDER]]
                    a report (without one, a large one) in a real browser, used as a reader would; screenshots go to
                    FOLDER; needs node, npm and chromium
  datafusion [test [ARGS]]
                    the tests of sort/skipsort-datafusion and of the worker, with ARGS of cargo test; the first build takes
                    minutes
  datafusion bench [ARGS]
                    its benchmark instead, beside DataFusion's own sort; --help has its arguments
  datafusion fuzz [--minutes N] [--seed N]
                    random tables in random orders, sorted by both, for so many minutes
  datafusion worker the worker of the lab's engine `datafusion`; the first build takes minutes
  datafusion slt    DataFusion's own sqllogictest files with the rule on and off; needs the package index
  python [ARGS]     a wheel of sort/skipsort-python in a new environment, and pytest with ARGS; needs Python 3.11 or later
                    (PYTHON names the interpreter) and the package index
  python bench [ARGS]
                    its benchmark instead, beside other sorts of Python; --help has its arguments
  reading           humdrum without what measures: compiles for this host, Windows and macOS, and gives the bytes of the whole
                    program
  dist [TARGET...]  archives, Debian packages, a Dockerfile, lists of parts and checksums in target/dist/files; without a
                    name for every target that can be built here
  licences          licences and sources of all dependencies, by deny.toml
  ci                formatting, clippy, documentation, licences, tidy, reading (tests are the README's own command)
";

fn main() -> ExitCode {
    if let Some(code) = humdrum_engine_rocksdb::play_worker() {
        return code;
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let root = root();
    match args.as_slice() {
        ["tidy"] => tidy::run(&root, false),
        ["tidy", "--update"] => tidy::run(&root, true),
        ["bench", name @ ..] => bench::run(name),
        ["browser"] => browser::run(&root, None, None),
        ["browser", report] => browser::run(&root, Some(report), None),
        ["browser", report, shots] => browser::run(&root, Some(report), Some(shots)),
        ["datafusion", args @ ..] => datafusion::run(&root, args).unwrap_or_else(usage),
        ["python", args @ ..] => python::run(&root, args),
        ["dist", targets @ ..] => dist::run(&root, targets),
        ["reading"] => reading::run(&root),
        ["licences"] => licences::run(&root),
        ["ci"] => ci::run(&root),
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprint!("{USAGE}");
    ExitCode::from(2)
}

/// The workspace's folder, which is the parent of this crate's. Cargo tells it at run time; a program that was built in another
/// checkout then works on the right one.
fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    here.parent().map(PathBuf::from).unwrap_or(here)
}

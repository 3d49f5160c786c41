//! Making a server's data. From MySQL 5.7 on the server does it itself; before, and in MariaDB, it is fed the
//! statements that its installer would feed it, without the installer: those are scripts that want Perl or a shell,
//! and paths that they were configured with.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use humdrum_provision::guardian::{Guarded, describe_exit};
use humdrum_provision::{logs, run_folder, secret};

use crate::flavour::FirstLife;
use crate::install::Build;
use crate::{complaint, parts};

use super::{guard_spec, layout};

/// A few seconds are usual; a slow disk must not be taken for a hang.
const WITHIN: Duration = Duration::from_secs(600);

/// A server that is fed its tables writes no binary log of it, whatever the options say of that.
const BOOTSTRAP: [&str; 6] = [
    "--bootstrap",
    "--skip-log-bin",
    "--loose-gtid-mode=OFF",
    "--loose-enforce-gtid-consistency=OFF",
    "--loose-skip-ssl",
    "--loose-skip-log-slave-updates",
];

/// Makes the data of the server in `home`, whose options are written.
///
/// # Errors
/// Usage for a setting that the release does not take; environment or crash otherwise.
pub(super) fn begin(build: &Build, home: &Path, asked: &[String]) -> Outcome<()> {
    let log = home.join("init.log");
    let (args, input) = match (build.flavour.first_life)(build.version) {
        FirstLife::Initialise => (&["--initialize-insecure"][..], None),
        FirstLife::Bootstrap { files, before, after } => {
            run_folder::make_private(&layout::data(home), build.run_as)?;
            let text = statements(build, files, before, after)?;
            let input = home.join("tables.sql");
            secret::write_private(&input, &text, build.run_as)?;
            (&BOOTSTRAP[..], Some(input))
        }
    };
    let mut run = Guarded::spawn_reading(&guard_spec(build, home, args, &log), input.as_deref())?;
    let status = run.wait(WITHIN).map_err(|fault| with_log(fault, &log))?;
    let said = logs::whole(&log);
    if let Some(complaint) = complaint::complaint(&said, asked) {
        return Err(complaint::refused(&build.name, &complaint));
    }
    if !status.success() {
        let what = format!("{} could not make its data: {}", build.name, describe_exit(status));
        return Err(with_log(Fault::crash(what), &log));
    }
    input.map_or(Ok(()), |input| {
        fs::remove_file(&input)
            .map_err(|error| Fault::environment(format!("cannot remove {}: {error}", input.display())))
    })
}

/// What the server is fed: the build's own files, between what goes before and after.
fn statements(build: &Build, files: &[&str], before: &str, after: &str) -> Outcome<String> {
    let mut text = before.to_owned();
    for names in files {
        let (names, needed) = names.strip_prefix('?').map_or((*names, true), |names| (names, false));
        match parts::shared_file(&build.folder, names) {
            Some(path) => text.push_str(&read(&path)?),
            None if needed => {
                let what = format!("{} holds no {names} to make system tables with", build.folder.display());
                return Err(Fault::environment(what).hint("name the folder of a whole installation"));
            }
            None => {}
        }
        text.push('\n');
    }
    text.push_str(after);
    Ok(text)
}

fn read(path: &PathBuf) -> Outcome<String> {
    fs::read(path)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .map_err(|error| Fault::environment(format!("cannot read {}: {error}", path.display())))
}

fn with_log(fault: Fault, log: &Path) -> Fault {
    match logs::tail(log) {
        Some(tail) => fault.log(tail),
        None => fault,
    }
}

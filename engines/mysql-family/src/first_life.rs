//! Making a server's data. From MySQL 5.7 on the server does it itself. Before that, and in MariaDB, the server reads
//! the statements that its installer would send. The installers are not used: they are scripts that need Perl or a
//! shell, and the paths that they were configured with.

use std::fs;
use std::path::Path;
use std::time::Duration;

use humdrum_contract::Outcome;
use humdrum_engine_kit::{Instance, with_log};
use humdrum_model::Fault;
use humdrum_provision::guardian::describe_exit;
use humdrum_provision::{logs, run_folder, secret};

use crate::flavour::{FirstLife, Flavour};
use crate::{complaint, option_file, parts};

/// A few seconds are usual; a slow disk must not be taken for a hang.
const WITHIN: Duration = Duration::from_secs(600);

/// A server that reads its system tables writes no binary log of them, whatever the options say.
const BOOTSTRAP: [&str; 6] = [
    "--bootstrap",
    "--skip-log-bin",
    "--loose-gtid-mode=OFF",
    "--loose-enforce-gtid-consistency=OFF",
    "--loose-skip-ssl",
    "--loose-skip-log-slave-updates",
];

/// Makes the data of a server whose options are written.
///
/// # Errors
/// Usage for a setting that the release does not take; environment or crash otherwise.
pub(crate) fn begin(flavour: &Flavour, instance: &Instance) -> Outcome<()> {
    let Instance { build, home, asked, .. } = instance;
    let log = home.join("init.log");
    let (args, input) = match (flavour.first_life)(build.version) {
        FirstLife::Initialise => (&["--initialize-insecure"][..], None),
        FirstLife::Bootstrap { files, before, after } => {
            run_folder::make_private(&instance.data(), build.run_as)?;
            let text = statements(&build.root, files, before, after)?;
            let input = home.join("tables.sql");
            secret::write_private(&input, &text, build.run_as)?;
            (&BOOTSTRAP[..], Some(input))
        }
    };
    let command = option_file::command(instance, args);
    let status = instance.run(&build.program, command, input.as_deref(), &log, WITHIN)?;
    let said = logs::whole(&log);
    if let Some(complaint) = complaint::complaint(&said, asked) {
        return Err(instance.refused(&complaint));
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

/// What the server reads: the build's own files, between the statements before and after.
fn statements(root: &Path, files: &[&str], before: &str, after: &str) -> Outcome<String> {
    let mut text = before.to_owned();
    for names in files {
        let (names, needed) = names.strip_prefix('?').map_or((*names, true), |names| (names, false));
        match parts::shared_file(root, names) {
            Some(path) => text.push_str(&read(&path)?),
            None if needed => {
                let what = format!("{} holds no {names} to make system tables with", root.display());
                return Err(Fault::environment(what).hint("name the folder of a whole installation"));
            }
            None => {}
        }
        text.push('\n');
    }
    text.push_str(after);
    Ok(text)
}

fn read(path: &Path) -> Outcome<String> {
    fs::read(path)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .map_err(|error| Fault::environment(format!("cannot read {}: {error}", path.display())))
}

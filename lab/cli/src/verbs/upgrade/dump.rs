//! The rows of a running server, by the dump program of this host.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use humdrum_contract::{DumpProgram, Progress, Update};
use humdrum_model::{Fault, FaultKind, url_without_password};

use super::source::Running;
use crate::lab::Lab;

/// Between two looks at the dump's size.
const PAUSE: Duration = Duration::from_millis(200);
/// Letters of the program's last words that are shown.
const SAID_MAX: usize = 500;

/// Writes a dump into a folder, with progress. Nothing is left of one that failed.
///
/// # Errors
/// Usage: no program on this host. Environment: what the program says. Interrupted.
pub(super) fn dump(lab: &Lab, running: &Running, out: &Path) -> Result<PathBuf, Fault> {
    let wanted = lab.catalogue.engine_named(&running.engine)?.dump_program(&running.url)?;
    let url = url_without_password(&running.url);
    let program = found(&wanted).ok_or_else(|| {
        let what = format!("this host has no {} to read the rows of {url}", wanted.names.join(" or "));
        Fault::usage(what).hint(format!(
            "install it, or make a dump where it is and give it with --data:\n  {}",
            wanted.typed
        ))
    })?;
    let file = out.join(format!("source.{}", wanted.extension));
    let written = write(lab, &program, &wanted, &file);
    lab.console.clear();
    if written.is_err() {
        let _ = fs::remove_file(&file);
    }
    written.map_err(|fault| fault.at(format!("{} of {url}", program.display())))?;
    Ok(file)
}

/// The first of the program's names that is on the path.
fn found(wanted: &DumpProgram) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let places = wanted.names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file())
}

fn write(lab: &Lab, program: &Path, wanted: &DumpProgram, file: &Path) -> Result<(), Fault> {
    let cannot = |error: std::io::Error| Fault::environment(format!("cannot be run: {error}"));
    let output = File::create(file)
        .map_err(|error| Fault::environment(format!("cannot write {}: {error}", file.display())))?;
    let mut child = Command::new(program)
        .args(&wanted.arguments)
        .envs(wanted.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(Stdio::piped())
        .spawn()
        .map_err(cannot)?;
    // Read beside, so that the program never waits for its words to be read.
    let said = child.stderr.take().map(|mut said| {
        std::thread::spawn(move || {
            let mut text = String::new();
            let _ = said.read_to_string(&mut text);
            text
        })
    });
    let ended = wait(lab, &mut child, file);
    if ended.is_err() {
        let _ = child.kill();
        let _ = child.wait();
    }
    let said = said.and_then(|thread| thread.join().ok()).unwrap_or_default();
    if ended?.success() {
        return Ok(());
    }
    let said = said.trim();
    let end: String = said.chars().rev().take(SAID_MAX).collect::<Vec<_>>().into_iter().rev().collect();
    let fault = Fault::environment(format!("the dump failed: {end}"));
    let hint = if end.contains("version mismatch") {
        "install the client of the server's release or a newer one; or make the dump elsewhere and give it with --data"
    } else {
        "make the dump yourself and give it with --data"
    };
    Err(fault.hint(hint))
}

fn wait(lab: &Lab, child: &mut Child, file: &Path) -> Result<ExitStatus, Fault> {
    loop {
        if lab.dirs.interrupt.is_set() {
            return Err(Fault::new(FaultKind::Interrupted, "interrupted while the rows were dumped"));
        }
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) => {}
            Err(error) => return Err(Fault::environment(format!("cannot be waited for: {error}"))),
        }
        let megabytes = fs::metadata(file).map_or(0, |about| about.len()) / 1_000_000;
        let part = Update::Part { what: "dumping the rows", done: megabytes, total: None, unit: "MB" };
        lab.console.update(part);
        std::thread::sleep(PAUSE);
    }
}

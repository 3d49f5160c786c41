//! Starts a server that runs on after the program has ended (`humdrum up`), and stops it (`humdrum down`).

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use humdrum_contract::{Dirs, Progress, Sizing, Update};
use humdrum_model::{Fault, Subject};
use humdrum_provision::hosts;
use humdrum_provision::run_folder::{RunFolder, kept_runs, remove_run};
use humdrum_provision::signal;

use crate::catalogue::Catalogue;

/// The file in a kept run's folder that holds the label of its server.
const LABEL: &str = "label";

/// Connections that a person may open.
const CONNECTIONS: u32 = 100;

/// A server that runs on after the program has ended.
#[derive(Clone, Debug)]
pub struct Detached {
    /// The process to end later.
    pub pid: u32,
    /// Lines that tell a person how to connect.
    pub how_to_connect: String,
}

/// Starts a server of a subject and leaves it running.
///
/// # Errors
/// As provisioning and starting.
pub fn start_detached(
    subject: &Subject,
    catalogue: &Catalogue,
    dirs: &Dirs,
    reporter: &dyn Progress,
) -> Result<Detached, Fault> {
    let engine = catalogue.engine(subject)?;
    let place = |fault: Fault| fault.at(subject.label.clone());
    engine.check(subject, dirs).map_err(place)?;
    let build = engine.install(subject, dirs, reporter).map_err(place)?;
    let folder = RunFolder::new(dirs)?;
    let sizing = Sizing {
        memory_bytes: hosts::memory_bytes() / 4,
        limit_bytes: None,
        cpus: hosts::cpus(),
        connections: CONNECTIONS,
    };
    let mut server = build.create(&folder.home("s0")?, &sizing).map_err(place)?;
    reporter.update(Update::Step(&format!("{}: starting a server", subject.label)));
    server.start().map_err(place)?;
    let how_to_connect = server.how_to_connect();
    let pid = server.detach().map_err(place)?;
    let note = folder.keep_for(pid)?.join(LABEL);
    std::fs::write(&note, &subject.label)
        .map_err(|error| Fault::environment(format!("cannot write {}: {error}", note.display())))?;
    Ok(Detached { pid, how_to_connect })
}

/// Stops the servers with this label, or all that were left running. Calls `stopped` with the name of each.
///
/// # Errors
/// Usage when no such server runs; environment when one cannot be ended.
pub fn stop_detached(label: Option<&str>, dirs: &Dirs, stopped: &dyn Fn(&str)) -> Result<(), Fault> {
    let kept = kept_runs(dirs);
    let wanted = |folder: &Path| label.is_none() || label_of(folder).as_deref() == label;
    let chosen: Vec<&(PathBuf, u32)> = kept.iter().filter(|(folder, _)| wanted(folder)).collect();
    if chosen.is_empty() {
        let labels: Vec<String> = kept.iter().filter_map(|(folder, _)| label_of(folder)).collect();
        let known = if labels.is_empty() { "none".to_owned() } else { labels.join(", ") };
        let what = label.map_or("no server runs that `up` started".to_owned(), |label| {
            format!("no server called `{label}` runs")
        });
        return Err(Fault::usage(what).hint(format!("servers that `up` started: {known}")));
    }
    for (folder, pid) in chosen {
        // The label is removed with the folder.
        let name = label_of(folder).unwrap_or_else(|| pid.to_string());
        end(*pid)?;
        remove_run(folder)?;
        stopped(&name);
    }
    Ok(())
}

fn label_of(folder: &Path) -> Option<String> {
    std::fs::read_to_string(folder.join(LABEL)).ok()
}

/// Ends a process and its children: SIGTERM lets a server wait for its clients, SIGINT does not, and SIGKILL ends all that
/// is left.
fn end(pid: u32) -> Result<(), Fault> {
    let family = signal::descendants(pid);
    for (number, patience) in [(15, 3), (2, 10)] {
        signal::send(pid, number);
        if gone(pid, Duration::from_secs(patience)) {
            return Ok(());
        }
    }
    std::iter::once(&pid).chain(&family).for_each(|pid| signal::send(*pid, 9));
    if gone(pid, Duration::from_secs(5)) {
        return Ok(());
    }
    Err(Fault::environment(format!("process {pid} does not end")).hint(format!("kill -9 {pid}")))
}

fn gone(pid: u32, patience: Duration) -> bool {
    let began = Instant::now();
    while signal::is_alive(pid) {
        if began.elapsed() > patience {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}

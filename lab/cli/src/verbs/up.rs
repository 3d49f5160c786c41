//! `humdrum up` and `humdrum down`: a provisioned server for working by hand, and its end.

use std::path::Path;
use std::time::{Duration, Instant};

use humdrum_contract::{Progress, Sizing, Update};
use humdrum_model::Fault;
use humdrum_plan::parse_subject;
use humdrum_provision::hosts;
use humdrum_provision::run_folder::{RunFolder, kept_runs, remove_run};
use humdrum_provision::signal;
use humdrum_report::printable;

use crate::args::{DownOptions, UpOptions};
use crate::lab::Lab;

/// In a kept run's folder: the label that `down` takes.
const LABEL: &str = "label";

/// Connections a person may want.
const CONNECTIONS: u32 = 100;

/// `humdrum up SUBJECT`.
///
/// # Errors
/// As provisioning and starting.
pub fn up(lab: &Lab, options: &UpOptions) -> Result<u8, Fault> {
    let subject = parse_subject(&options.subject)?;
    let engine = lab.engine(&subject)?;
    let place = |fault: Fault| fault.at(subject.label.clone());
    engine.check(&subject, &lab.dirs).map_err(place)?;
    let build = engine.install(&subject, &lab.dirs, &lab.console).map_err(place)?;
    let folder = RunFolder::new(&lab.dirs)?;
    let sizing =
        Sizing { memory_bytes: hosts::memory_bytes() / 4, cpus: hosts::cpus(), connections: CONNECTIONS };
    let mut server = build.create(&folder.home("s0")?, &sizing).map_err(place)?;
    lab.console.update(Update::Step(&format!("{}: starting a server", subject.label)));
    server.start().map_err(place)?;
    let how = server.how_to_connect();
    let pid = server.detach().map_err(place)?;
    let kept = folder.keep_for(pid)?;
    let note = kept.join(LABEL);
    std::fs::write(&note, &subject.label)
        .map_err(|error| Fault::environment(format!("cannot write {}: {error}", note.display())))?;
    lab.console.clear();
    anstream::println!(
        "{} runs as process {pid}\n{how}\nstop it with: humdrum down {}",
        printable(&subject.to_string()),
        printable(&subject.label)
    );
    Ok(0)
}

/// `humdrum down [LABEL]`.
///
/// # Errors
/// Usage when no such server runs; environment when one cannot be ended.
pub fn down(lab: &Lab, options: &DownOptions) -> Result<u8, Fault> {
    let kept = kept_runs(&lab.dirs);
    let wanted = |folder: &Path| options.label.is_none() || options.label == label(folder);
    let chosen: Vec<_> = kept.iter().filter(|(folder, _)| wanted(folder)).collect();
    if chosen.is_empty() {
        let labels: Vec<String> = kept.iter().filter_map(|(folder, _)| label(folder)).collect();
        let known = if labels.is_empty() { "none".to_owned() } else { labels.join(", ") };
        let what = options.label.as_ref().map_or("no server runs that `up` started".to_owned(), |label| {
            format!("no server called `{label}` runs")
        });
        return Err(Fault::usage(what).hint(format!("servers that `up` started: {known}")));
    }
    for (folder, pid) in chosen {
        // The label goes with the folder.
        let name = label(folder).unwrap_or_else(|| pid.to_string());
        end(*pid)?;
        remove_run(folder)?;
        anstream::println!("stopped {}", printable(&name));
    }
    Ok(0)
}

fn label(folder: &Path) -> Option<String> {
    std::fs::read_to_string(folder.join(LABEL)).ok()
}

/// Asks, asks louder, and ends: SIGTERM lets a server wait for its clients, SIGINT does not, and SIGKILL goes
/// to all that is left.
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

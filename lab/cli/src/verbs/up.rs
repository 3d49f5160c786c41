//! `humdrum up` starts a provisioned server for use by hand, and `humdrum down` stops it.

use humdrum_model::Fault;
use humdrum_plan::parse_subject;
use humdrum_report::printable;
use humdrum_run::{start_detached, stop_detached};

use crate::args::{DownOptions, UpOptions};
use crate::lab::Lab;

/// `humdrum up SUBJECT`.
///
/// # Errors
/// As provisioning and starting.
pub fn up(lab: &Lab, options: &UpOptions) -> Result<u8, Fault> {
    let subject = parse_subject(&options.subject)?;
    let server = start_detached(&subject, &lab.catalogue, &lab.dirs, &lab.console)?;
    lab.console.clear();
    anstream::println!(
        "{} runs as process {}\n{}\nstop it with: humdrum down {}",
        printable(&subject.to_string()),
        server.pid,
        server.how_to_connect,
        printable(&subject.label)
    );
    Ok(0)
}

/// `humdrum down [LABEL]`.
///
/// # Errors
/// Usage when no such server runs; environment when one cannot be ended.
pub fn down(lab: &Lab, options: &DownOptions) -> Result<u8, Fault> {
    let say = |name: &str| anstream::println!("stopped {}", printable(name));
    stop_detached(options.label.as_deref(), &lab.dirs, &say)?;
    Ok(0)
}

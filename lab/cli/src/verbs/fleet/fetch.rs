//! `humdrum fleet fetch`: the shards that there are, as one result. Over ssh, the hosts send them first.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use humdrum_contract::{Progress, Update};
use humdrum_model::Fault;
use humdrum_record::{Begun, Store};
use humdrum_report::printable;

use super::far::{Work, each, look};
use super::folder::{Fleet, Ssh, merged_folder, shard_folder};
use super::remote::Remote;
use crate::args::{FetchFleetOptions, MergeOptions};
use crate::lab::Lab;
use crate::verbs::merge::merge_whole;

/// `humdrum fleet fetch FOLDER`. Shards whose records are damaged are named and left out.
///
/// # Errors
/// Usage: no shard has begun; else as `merge`.
pub fn fetch(lab: &Lab, options: &FetchFleetOptions) -> Result<u8, Fault> {
    let fleet = Fleet::read(&options.folder)?;
    match &fleet.ssh {
        Some(ssh) => from_hosts(lab, ssh, options)?,
        None if options.wait => {
            return Err(Fault::usage("--wait is for fleets over ssh")
                .hint("Slurm's last job puts the shards together; without --wait, so does this now"));
        }
        None => {}
    }
    let mut results: Vec<PathBuf> =
        (1..=fleet.shards).map(|number| shard_folder(&options.folder, number)).collect();
    // What cannot be read has begun.
    results.retain(|folder| !matches!(Store::begun(&folder.join("results.sqlite")), Ok(Begun::No)));
    if results.is_empty() {
        return Err(Fault::usage(format!("no shard of {} has begun", options.folder.display()))
            .hint(format!("humdrum fleet status {}", options.folder.display())));
    }
    let of = |out: PathBuf| MergeOptions {
        results: results.clone(),
        out,
        json: None,
        strict: false,
        no_report: false,
    };
    let left_out = |path: &Path, fault: &Fault| {
        let inner = path.strip_prefix(options.folder.join("shards")).ok();
        let first = inner.and_then(|inner| inner.iter().next()?.to_str()?.parse().ok());
        let number = first.unwrap_or_default();
        let again = fleet.again(&options.folder, number);
        lab.console.update(Update::Note(&format!("shard {number} is left out: {fault}; {again}")));
    };
    match &options.out {
        Some(out) => merge_whole(lab, &of(out.clone()), left_out),
        None => replacing(&merged_folder(&options.folder), |out| {
            merge_whole(lab, &of(out.to_path_buf()), left_out)
        }),
    }
}

/// Brings what there is, after waiting if that is wanted. A host that does not answer is named, and what it sent before counts.
fn from_hosts(lab: &Lab, ssh: &Ssh, options: &FetchFleetOptions) -> Result<(), Fault> {
    let mut pause = Duration::from_secs(1);
    while options.wait
        && each(ssh, |host| look(ssh, host)).iter().any(|now| matches!(now, Ok((Work::Running, _))))
    {
        lab.console.update(Update::Step("waiting for the hosts"));
        std::thread::sleep(pause);
        lab.dirs.interrupt.check()?;
        pause = (pause * 2).min(Duration::from_secs(30));
    }
    let fetched = each(ssh, |host| bring(Remote { ssh, host }, &options.folder));
    for fault in fetched.iter().filter_map(|fetched| fetched.as_ref().err()) {
        lab.console.update(Update::Note(&fault.to_string()));
    }
    Ok(())
}

/// Brings the shards and the logs of a host: into a folder beside first, so that a lost connection leaves what was there.
fn bring(remote: Remote<'_>, folder: &Path) -> Result<(), Fault> {
    if look(remote.ssh, remote.host)?.0 == Work::Absent {
        return Err(Fault::environment(format!("{} has nothing of this fleet", remote.host.address)));
    }
    let first = remote.host.shards.first().copied().unwrap_or_default();
    let part = folder.join(format!("part-{first}"));
    let _ = std::fs::remove_dir_all(&part);
    let cannot =
        |error: std::io::Error| Fault::environment(format!("cannot write {}: {error}", part.display()));
    std::fs::create_dir_all(&part).map_err(cannot)?;
    let brought = unpacked(remote, &part).and_then(|()| {
        for number in &remote.host.shards {
            let log = format!("logs/shard-{number}.log");
            moved(&part.join("shards").join(number.to_string()), &shard_folder(folder, *number))
                .map_err(cannot)?;
            moved(&part.join(&log), &folder.join(&log)).map_err(cannot)?;
        }
        moved(&part.join("logs/host.log"), &folder.join(format!("logs/host-{first}.log"))).map_err(cannot)
    });
    let _ = std::fs::remove_dir_all(&part);
    brought
}

/// `ssh | tar`.
fn unpacked(remote: Remote<'_>, part: &Path) -> Result<(), Fault> {
    let mut ssh = remote.command(&remote.send());
    ssh.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut ssh = ssh.spawn().map_err(|error| remote.no_ssh(&error))?;
    let input = ssh.stdout.take().map_or_else(Stdio::null, Stdio::from);
    // Only these, whatever the host sends; tar itself refuses `..` and paths that begin with `/`.
    let tar = ["-xof", "-", "--no-same-permissions"];
    let output =
        Command::new("tar").arg("-C").arg(part).args(tar).args(["shards", "logs"]).stdin(input).output();
    let sent = ssh.wait_with_output().map_err(|error| remote.no_ssh(&error))?;
    if !sent.status.success() {
        return Err(remote.failed(sent.status.code(), &sent.stderr));
    }
    let output = output.map_err(|error| Fault::environment(format!("`tar` cannot be started: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Fault::environment(format!("{}: tar failed: {}", remote.host.address, printable(&said))))
}

/// Puts a file or folder in the place of another; nothing if it was not sent.
fn moved(from: &Path, to: &Path) -> std::io::Result<()> {
    if !from.exists() {
        return Ok(());
    }
    if to.is_dir() {
        std::fs::remove_dir_all(to)?;
    }
    std::fs::rename(from, to)
}

/// Makes a folder anew. If that fails, the earlier one is there again.
fn replacing(out: &Path, make: impl FnOnce(&Path) -> Result<u8, Fault>) -> Result<u8, Fault> {
    let earlier = out.with_extension("earlier");
    let had = out.exists();
    if had {
        std::fs::rename(out, &earlier)
            .map_err(|error| Fault::environment(format!("cannot rename {}: {error}", out.display())))?;
    }
    let made = make(out);
    match (had, out.exists()) {
        (true, true) => drop(std::fs::remove_dir_all(&earlier)),
        (true, false) => drop(std::fs::rename(&earlier, out)),
        _ => {}
    }
    made
}

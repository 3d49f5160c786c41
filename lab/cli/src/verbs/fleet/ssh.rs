//! `humdrum fleet ssh`, `resume` and `cancel`: a fleet whose hosts share no folder and have no scheduler.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use humdrum_contract::{Progress, Update};
use humdrum_model::Fault;
use humdrum_provision::checksum::sha256_of;

use super::far::{Work, each, look};
use super::folder::{Fleet, Host, Ssh, merged_folder};
use super::hosts;
use super::prepare::{check_plan, default_folder, disk_told, make, remove, shards};
use super::remote::{Remote, WORK, command_of, quoted};
use crate::args::{CancelOptions, FolderOptions, SshOptions};
use crate::lab::Lab;

/// `humdrum fleet ssh HOSTFILE PLAN`. Hosts that cannot be reached do not keep the others from measuring.
///
/// # Errors
/// Usage: a file of hosts or a plan that cannot be used, a folder that is taken; environment: some host did not start.
pub fn ssh(lab: &mut Lab, options: &SshOptions) -> Result<u8, Fault> {
    let addresses = hosts::read(&options.hostfile)?;
    let of = u32::try_from(addresses.len()).unwrap_or(u32::MAX);
    let count = shards(of, options.per_host)?;
    let plan = check_plan(lab, &options.plan, count)?;
    let here = std::env::current_dir()
        .map_err(|error| Fault::environment(format!("the current folder cannot be found: {error}")))?;
    let folder = here.join(options.out.clone().unwrap_or_else(|| default_folder(&options.plan)));
    let mut fleet = Fleet::of(&options.plan, count)?;
    let hosts = (1..).zip(addresses).map(|(number, address)| Host {
        address,
        shards: (0..options.per_host).map(|turn| turn * of + number).collect(),
    });
    let ssh = Ssh {
        command: words(&options.ssh)?,
        far: far_folder(&options.far, &folder, &fleet.plan_sha256)?,
        directory: here,
        with: options.with.clone(),
        hosts: hosts.collect(),
    };
    options.with.iter().try_for_each(|path| relative(path))?;
    fleet.ssh = Some(ssh.clone());
    if options.dry_run {
        anstream::print!("{}{}", dry_run(&ssh, &folder), disk_told(&plan));
        return Ok(0);
    }
    make(&folder, "of yours")?;
    stage(&folder, &fleet, options).and_then(|()| fleet.write(&folder)).inspect_err(|_| remove(&folder))?;
    lab.console.update(Update::Step(&format!("copying the program and the plan to {of} hosts")));
    let outcomes = each(&ssh, |host| begin(Remote { ssh: &ssh, host }, &folder));
    lab.console.clear();
    if outcomes.iter().all(Result::is_err) {
        remove(&folder);
    }
    told(&folder, &ssh, outcomes)
}

/// `humdrum fleet resume FOLDER`.
///
/// # Errors
/// Usage: no fleet over ssh; environment: some host does not start.
pub fn resume(options: &FolderOptions) -> Result<u8, Fault> {
    let fleet = Fleet::read(&options.folder)?;
    let ssh = fleet.over_ssh()?;
    let outcomes = each(ssh, |host| again(Remote { ssh, host }, &options.folder));
    told(&options.folder, ssh, outcomes)
}

/// `humdrum fleet cancel FOLDER`.
///
/// # Errors
/// Usage: no fleet over ssh; environment: some host cannot be reached, or its work does not end.
pub fn cancel(options: &CancelOptions) -> Result<u8, Fault> {
    let fleet = Fleet::read(&options.folder)?;
    let ssh = fleet.over_ssh()?;
    let outcomes = each(ssh, |host| {
        let remote = Remote { ssh, host };
        let done = if options.remove { "ended; its folder is removed" } else { "ended" };
        remote.ask(&remote.cancel(options.remove)).map(|_| done)
    });
    rows(ssh, outcomes)
}

/// The words of a command, which are separated by spaces alone.
fn words(command: &str) -> Result<Vec<String>, Fault> {
    let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    match words.is_empty() {
        true => Err(Fault::usage("--ssh is empty").hint("for instance --ssh \"ssh -F my.conf\"")),
        false => Ok(words),
    }
}

/// A folder on the hosts that no other fleet has.
fn far_folder(base: &str, folder: &Path, plan_sha256: &str) -> Result<String, Fault> {
    let plain = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    if base.is_empty() || base.starts_with('-') || !base.chars().all(plain) {
        return Err(Fault::usage(format!("--far `{base}` has signs that a command for ssh cannot hold"))
            .hint(
                "use letters, digits and `/._-`; a path that begins without `/` is in the account's home",
            ));
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let name: String = name.chars().filter(|c| c.is_alphanumeric() || "._-".contains(*c)).collect();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let unique = format!("{:x}{:x}", now.as_nanos(), std::process::id());
    Ok(format!("{base}/{name}-{}-{unique}", plan_sha256.get(..8).unwrap_or_default()))
}

/// Refuses a path that would land outside the folder on the hosts.
fn relative(path: &Path) -> Result<(), Fault> {
    let inside = path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if inside && path.exists() {
        return Ok(());
    }
    Err(Fault::usage(format!("--with {} is no file or folder below the current one", path.display()))
        .hint("give a relative path without `..`, as the plan has it"))
}

/// Puts together what every host gets. The program is copied, because another version may not measure the rest later.
fn stage(folder: &Path, fleet: &Fleet, options: &SshOptions) -> Result<(), Fault> {
    let far = folder.join("far");
    std::fs::create_dir(&far)
        .map_err(|error| Fault::environment(format!("cannot make {}: {error}", far.display())))?;
    let copy = |from: &Path, name: &str| {
        std::fs::copy(from, far.join(name)).map(|_| ()).map_err(|error| {
            Fault::usage(format!("cannot copy {}: {error}", from.display()))
                .hint("give a file that can be read")
        })
    };
    let this = || std::env::current_exe();
    let program = options.program.clone().map_or_else(this, Ok);
    let program: PathBuf =
        program.map_err(|error| Fault::environment(format!("this program cannot be found: {error}")))?;
    copy(&program, "humdrum")?;
    copy(&options.plan, "plan.toml")?;
    if let Some(archive) = &options.archive {
        // Builds may be gigabytes: a second name of the same file, where the file system can do that.
        std::fs::hard_link(archive, far.join("builds.tar")).or_else(|_| copy(archive, "builds.tar"))?;
    }
    if sha256_of(&far.join("plan.toml")).ok().as_ref() != Some(&fleet.plan_sha256) {
        return Err(
            Fault::usage(format!("{} changed just now", options.plan.display())).hint("type the same again")
        );
    }
    Fleet { plan: "plan.toml".into(), ssh: None, ..fleet.clone() }.write(&far)?;
    let work = far.join("work.sh");
    humdrum_record::write_whole(&work, WORK)?;
    for program in [work, far.join("humdrum")] {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).map_err(|error| {
            Fault::environment(format!("cannot make {} a program: {error}", program.display()))
        })?;
    }
    Ok(())
}

/// Copies everything to a host and starts its work.
fn begin(remote: Remote<'_>, folder: &Path) -> Result<&'static str, Fault> {
    copy(remote, folder)?;
    remote.ask(&remote.start()).map(|_| "started")
}

/// Starts the work of a host that neither runs nor is finished.
fn again(remote: Remote<'_>, folder: &Path) -> Result<&'static str, Fault> {
    match look(remote.ssh, remote.host)?.0 {
        Work::Running => Ok("runs already"),
        Work::Ended(0) => Ok("is finished"),
        Work::Absent => begin(remote, folder),
        Work::Ended(_) | Work::Stopped => remote.ask(&remote.start()).map(|_| "started again"),
    }
}

/// `tar | ssh`: the archive is never whole on this side.
fn copy(remote: Remote<'_>, folder: &Path) -> Result<(), Fault> {
    let tar = remote.tar_words(&folder.join("far").display().to_string());
    let no_tar = |error| Fault::environment(format!("`tar` cannot be started: {error}")).hint("install tar");
    let mut archive = command_of(&tar)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(no_tar)?;
    let input = archive.stdout.take().map_or_else(Stdio::null, Stdio::from);
    let output =
        remote.command(&remote.receive()).stdin(input).output().map_err(|error| remote.no_ssh(&error));
    let mut complaint = String::new();
    if let Some(mut stderr) = archive.stderr.take() {
        let _ = stderr.read_to_string(&mut complaint);
    }
    let ended = archive.wait();
    let output = output?;
    if !output.status.success() {
        return Err(remote.failed(output.status.code(), &output.stderr));
    }
    match ended {
        Ok(status) if status.success() => Ok(()),
        _ => Err(Fault::environment(format!("tar failed: {}", complaint.trim()))),
    }
}

/// Every command that the same call without `--dry-run` gives.
fn dry_run(ssh: &Ssh, folder: &Path) -> String {
    let shown = folder.display();
    let mut out = format!("# {shown}/far/work.sh, on every host in {}\n{WORK}\n", ssh.far);
    for host in &ssh.hosts {
        let remote = Remote { ssh, host };
        let numbers: Vec<String> = host.shards.iter().map(u32::to_string).collect();
        out += &format!(
            "# {}: shards {}\n{} | {}\n{}\n",
            host.address,
            numbers.join(", "),
            quoted(&remote.tar_words(&format!("{shown}/far"))),
            quoted(&remote.words(&remote.receive())),
            quoted(&remote.words(&remote.start())),
        );
    }
    let Some(host) = ssh.hosts.first() else { return out };
    let remote = Remote { ssh, host };
    for (what, script) in [
        ("humdrum fleet status", remote.look()),
        ("humdrum fleet fetch", remote.send()),
        ("humdrum fleet cancel", remote.cancel(false)),
    ] {
        out += &format!("# {what} {shown}, for each host\n{}\n", quoted(&remote.words(&script)));
    }
    out
}

/// A row for each host, and how to look.
fn told(folder: &Path, ssh: &Ssh, outcomes: Vec<Result<&'static str, Fault>>) -> Result<u8, Fault> {
    let shown = folder.display();
    let some = outcomes.iter().any(Result::is_ok);
    let ended = rows(ssh, outcomes);
    if some {
        anstream::print!(
            "look:    humdrum fleet status {shown}\n\
             result:  humdrum fleet fetch {shown} --wait, or at any time without --wait; in {}\n\
             cancel:  humdrum fleet cancel {shown}\n",
            merged_folder(folder).display()
        );
    }
    ended.map_err(|fault| if some { fault.hint(format!("humdrum fleet resume {shown}")) } else { fault })
}

/// A row for each host. The error has the first host's hint.
fn rows(ssh: &Ssh, outcomes: Vec<Result<&'static str, Fault>>) -> Result<u8, Fault> {
    let (mut failed, mut hint) = (0, None);
    for (host, outcome) in ssh.hosts.iter().zip(outcomes) {
        match outcome {
            Ok(what) => anstream::println!("{} {what}", host.address),
            Err(fault) => {
                anstream::println!("{fault}");
                failed += 1;
                hint = hint.or_else(|| fault.hint.clone());
            }
        }
    }
    if failed == 0 {
        return Ok(0);
    }
    let fault = Fault::environment(format!("{failed} of {} hosts failed", ssh.hosts.len()));
    Err(match hint {
        Some(hint) => fault.hint(hint),
        None => fault,
    })
}

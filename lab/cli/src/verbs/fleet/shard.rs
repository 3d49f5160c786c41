//! `humdrum fleet shard`: what each task of a fleet does. It can be killed at any moment and started again, on any host.

use std::path::Path;

use clap::Parser;
use humdrum_contract::{Progress, Update};
use humdrum_model::Fault;
use humdrum_record::{Begun, ResultsFolder, Store};

use super::folder::{Fleet, shard_folder};
use crate::args::{Arguments, ResumeOptions, ShardOptions, Verb};
use crate::lab::Lab;
use crate::verbs::{compare, resume};

/// `humdrum fleet shard FOLDER NUMBER`. A verdict is no failure: tasks that measured end with 0.
///
/// # Errors
/// Usage for a number that is no shard's, a plan that was edited since; else as `run` and `resume`.
pub fn shard(lab: &mut Lab, options: &ShardOptions) -> Result<u8, Fault> {
    let fleet = Fleet::read(&options.folder)?;
    let (number, of) = (options.number, fleet.shards);
    if fleet.ssh.is_some() {
        let hint = format!("humdrum fleet resume {}", options.folder.display());
        return Err(Fault::usage("the shards of this fleet are measured by its hosts").hint(hint));
    }
    if !(1..=of).contains(&number) {
        return Err(Fault::usage(format!("there is no shard {number} of {of}"))
            .hint(format!("give a number from 1 to {of}")));
    }
    let out = shard_folder(&options.folder, number);
    let file = out.join("results.sqlite");
    // All of it is checked: of a record that is damaged, neither `measured already` nor going on would be right.
    let begun = Store::begun(&file).and_then(|begun| match begun {
        Begun::No => Ok(begun),
        _ => Store::open(&file).map(|_| begun),
    });
    let again = || fleet.again(&options.folder, number);
    let begun = begun.map_err(|fault| {
        let hint = fault.hint.as_ref().map_or_else(&again, |hint| format!("{hint}; or {}", again()));
        fault.hint(hint)
    })?;
    let code = match begun {
        Begun::Finished => {
            lab.console.update(Update::Step(&format!("shard {number} is measured already")));
            return Ok(0);
        }
        Begun::Yes => {
            let options = ResumeOptions { results: out, json: None, allow_external: false };
            resume::resume(lab, &options)
        }
        Begun::No => {
            fleet.check_plan()?;
            // What a task left that was killed before its first record.
            ResultsFolder { folder: out.clone() }.discard();
            begin(lab, &fleet, number, &out)
        }
    };
    let code = code.map_err(|fault| as_a_task(fault, &fleet, &options.folder, number))?;
    Ok(if matches!(code, 0 | 1 | 4) { 0 } else { code })
}

/// A task of a fleet goes on by its number, not by the folder of its record. On a host that was reached over ssh, the fleet's own
/// folder is elsewhere.
fn as_a_task(fault: Fault, fleet: &Fleet, folder: &Path, number: u32) -> Fault {
    let resume = format!("humdrum resume {}", shard_folder(folder, number).display());
    let Some(hint) = fault.hint.as_ref().filter(|hint| hint.contains(&resume)) else { return fault };
    let task = match fleet.is_of_ssh_host() {
        true => "humdrum fleet resume FOLDER, where the fleet was started".to_owned(),
        false => format!("humdrum fleet shard {} {number}", folder.display()),
    };
    let hint = hint.replace(&resume, &task);
    fault.hint(hint)
}

/// The same as `humdrum run PLAN --shard NUMBER/OF --out FOLDER`.
fn begin(lab: &mut Lab, fleet: &Fleet, number: u32, out: &Path) -> Result<u8, Fault> {
    let part = format!("{number}/{}", fleet.shards);
    let run = ["humdrum", "run", "--shard", &part].map(Into::into);
    let paths = ["--out".into(), out.as_os_str().to_owned(), fleet.plan.clone().into_os_string()];
    let arguments = Arguments::try_parse_from(run.into_iter().chain(paths))
        .map_err(|error| Fault::usage(format!("the shard cannot be measured: {error}")))?;
    match arguments.verb {
        Verb::Run(options) => compare::run(lab, &options),
        _ => Err(Fault::usage("`run` is no verb")),
    }
}

//! `humdrum fleet slurm`: writes two scripts and submits them.

use std::path::Path;
use std::process::Command;

use humdrum_model::Fault;
use humdrum_provision::tools;
use humdrum_record::write_whole;

use super::folder::{Fleet, merged_folder};
use super::prepare::{check_plan, default_folder, disk_told, make, remove, shards};
use super::script::Scripts;
use crate::args::SlurmOptions;
use crate::lab::Lab;

/// `humdrum fleet slurm PLAN`.
///
/// # Errors
/// Usage: a plan that cannot be measured in so many shards, a folder that is taken, no Slurm; environment: Slurm refuses.
pub fn slurm(lab: &mut Lab, options: &SlurmOptions) -> Result<u8, Fault> {
    let shards = shards(options.hosts, options.per_host)?;
    let plan = check_plan(lab, &options.plan, shards)?;
    let here = std::env::current_dir()
        .map_err(|error| Fault::environment(format!("the current folder cannot be found: {error}")))?;
    let program = std::env::current_exe()
        .map_err(|error| Fault::environment(format!("this program cannot be found: {error}")))?;
    let folder = here.join(options.out.clone().unwrap_or_else(|| default_folder(&options.plan)));
    let scripts = Scripts { options, folder: folder.clone(), program, directory: here, shards };
    scripts.check()?;
    if options.dry_run {
        anstream::print!("{}{}", dry_run(&scripts), disk_told(&plan));
        return Ok(0);
    }
    if !options.no_submit && tools::find("sbatch").is_none() {
        return Err(Fault::usage("`sbatch` is not in PATH")
            .hint("type this where Slurm is; --dry-run prints the scripts, --no-submit writes them"));
    }
    let mut fleet = Fleet::of(&options.plan, shards)?;
    write(&scripts, &fleet)?;
    if !options.no_submit {
        fleet.jobs = submit(&folder).inspect_err(|_| remove(&folder))?;
        fleet.write(&folder)?;
    }
    anstream::print!("{}", told(&folder, &fleet, options));
    Ok(0)
}

fn dry_run(scripts: &Scripts<'_>) -> String {
    let folder = scripts.folder.display();
    format!(
        "# {folder}/shard.sh\n{}\n# {folder}/merge.sh\n{}\n# then\nsbatch --parsable {folder}/shard.sh\n\
         sbatch --parsable --dependency=afterany:JOB {folder}/merge.sh\n",
        scripts.shard(),
        scripts.merge()
    )
}

/// Makes the folder with everything but results.
fn write(scripts: &Scripts<'_>, fleet: &Fleet) -> Result<(), Fault> {
    let folder = &scripts.folder;
    make(folder, "that all nodes share")?;
    write_whole(&folder.join("shard.sh"), &scripts.shard())?;
    write_whole(&folder.join("merge.sh"), &scripts.merge())?;
    fleet.write(folder)
}

/// The ids of both jobs. If the second one is refused, the first is cancelled.
fn submit(folder: &Path) -> Result<Vec<String>, Fault> {
    let array = sbatch(&[], &folder.join("shard.sh"))?;
    let after = format!("--dependency=afterany:{array}");
    match sbatch(&[&after], &folder.join("merge.sh")) {
        Ok(merge) => Ok(vec![array, merge]),
        Err(fault) => {
            let cancelled = Command::new("scancel").arg(&array).status().is_ok_and(|status| status.success());
            let left = if cancelled { "cancelled" } else { "still submitted" };
            Err(fault.hint(format!("job {array} with the shards was submitted before and is {left}")))
        }
    }
}

fn sbatch(args: &[&str], script: &Path) -> Result<String, Fault> {
    let output = Command::new("sbatch").arg("--parsable").args(args).arg(script).output();
    let output = output.map_err(|error| Fault::environment(format!("sbatch cannot be started: {error}")))?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    // `JOB` or `JOB;CLUSTER`.
    let id = printed.trim().split(';').next().unwrap_or_default();
    if output.status.success() && !id.is_empty() && id.chars().all(|c| c.is_ascii_digit()) {
        return Ok(id.to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Fault::environment(format!("sbatch refused {}: {said}", script.display()))
        .hint("change --partition, --constraint, --account or --time; `sinfo` shows what there is"))
}

/// What was submitted, how to look at it and how to end it.
fn told(folder: &Path, fleet: &Fleet, options: &SlurmOptions) -> String {
    let (shown, shards) = (folder.display(), fleet.shards);
    let what = match &fleet.jobs[..] {
        [array, merge] => format!(
            "job {array} measures {shards} shards, on {} hosts at a time; job {merge} puts them together\n\
             cancel:  scancel {array} {merge}\n",
            options.hosts
        ),
        _ => format!(
            "{shards} shards are prepared\n\
             submit:  sbatch {shown}/shard.sh, then sbatch --dependency=afterany:JOB {shown}/merge.sh\n\
             or:      humdrum fleet shard {shown} NUMBER, on any host, for each number from 1 to {shards}\n"
        ),
    };
    format!(
        "{what}look:    humdrum fleet status {shown}\nresult:  humdrum fleet fetch {shown}, at any time; in the end {}\n",
        merged_folder(folder).display()
    )
}

//! Options of `humdrum fleet`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Below the options of `humdrum fleet slurm`.
pub const HELP: &str = "On a login node, in a folder that all nodes share:\n\n\
    humdrum fleet slurm plan.toml --hosts 8 --per-host 2 --partition bench --dry-run\n\
    humdrum fleet slurm plan.toml --hosts 8 --per-host 2 --partition bench\n\
    humdrum fleet status humdrum-results/fleet-plan\n\
    humdrum fleet fetch humdrum-results/fleet-plan\n\n\
    Each of the sixteen tasks measures one shard of the plan, alone on its node. A task that is started again goes on where it\n\
    was. The last job puts the shards together, also where some are missing.";

/// `humdrum fleet`.
#[derive(Args, Clone, Debug)]
pub struct FleetOptions {
    /// What to do.
    #[command(subcommand)]
    pub verb: FleetVerb,
}

/// What to do with a fleet of hosts.
#[derive(Clone, Debug, Subcommand)]
pub enum FleetVerb {
    /// Submit the shards of a plan to Slurm, and the merge after them
    #[command(after_help = HELP)]
    Slurm(SlurmOptions),
    /// Measure one shard of a prepared folder, or go on with it: what each task does
    Shard(ShardOptions),
    /// How far each shard is
    Status(StatusOptions),
    /// Put together what there is so far, and report on it
    Fetch(FetchFleetOptions),
}

/// `humdrum fleet slurm`.
#[derive(Args, Clone, Debug)]
pub struct SlurmOptions {
    /// The plan, TOML
    pub plan: PathBuf,
    /// Hosts that measure at the same time
    #[arg(long)]
    pub hosts: u32,
    /// Shards for each of them, one after the other
    #[arg(long, default_value_t = 1)]
    pub per_host: u32,
    /// Folder for the shards and the result, which all nodes share [default: humdrum-results/fleet-PLAN]
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    /// Slurm's partition
    #[arg(long)]
    pub partition: Option<String>,
    /// Slurm's constraint, such as the name of a processor generation
    #[arg(long)]
    pub constraint: Option<String>,
    /// Slurm's account
    #[arg(long)]
    pub account: Option<String>,
    /// Slurm's limit for each task: 2:00:00
    #[arg(long)]
    pub time: Option<String>,
    /// An archive by `humdrum pack`, which each task unpacks first: for nodes without network
    #[arg(long)]
    pub archive: Option<PathBuf>,
    /// Print the scripts and the commands, and do nothing
    #[arg(long, conflicts_with = "no_submit")]
    pub dry_run: bool,
    /// Write the scripts, and leave it to you to run them
    #[arg(long)]
    pub no_submit: bool,
}

/// `humdrum fleet shard`.
#[derive(Args, Clone, Debug)]
pub struct ShardOptions {
    /// The folder that `humdrum fleet slurm` made
    pub folder: PathBuf,
    /// The shard's number, from 1
    pub number: u32,
}

/// `humdrum fleet status`.
#[derive(Args, Clone, Debug)]
pub struct StatusOptions {
    /// The folder that `humdrum fleet slurm` made
    pub folder: PathBuf,
}

/// `humdrum fleet fetch`.
#[derive(Args, Clone, Debug)]
pub struct FetchFleetOptions {
    /// The folder that `humdrum fleet slurm` made
    pub folder: PathBuf,
    /// Folder for the merged results; it must not exist [default: `merged` in that folder, replaced each time]
    #[arg(short, long)]
    pub out: Option<PathBuf>,
}

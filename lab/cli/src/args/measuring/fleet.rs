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

/// Below the options of `humdrum fleet ssh`.
pub const SSH_HELP: &str = "HOSTFILE has a line for each host: [USER@]HOST[:PORT], or a name of your ssh configuration; # begins a comment.\n\n\
    humdrum fleet ssh hosts.txt plan.toml --dry-run\n\
    humdrum fleet ssh hosts.txt plan.toml\n\
    humdrum fleet status humdrum-results/fleet-plan\n\
    humdrum fleet fetch humdrum-results/fleet-plan --wait\n\n\
    Your own `ssh` is called, so that its keys, agents and jump hosts work; it may not ask for a password. Each host measures its\n\
    shards whether or not a connection lasts. A host that was down goes on after `humdrum fleet resume FOLDER`.";

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
    /// Measure the shards of a plan on hosts that ssh reaches, without Slurm
    #[command(after_help = SSH_HELP)]
    Ssh(SshOptions),
    /// Over ssh: start again what neither runs nor is finished, also on hosts that could not be reached
    Resume(FolderOptions),
    /// Over ssh: end what runs; what is measured stays
    Cancel(CancelOptions),
    /// Measure one shard of a prepared folder, or go on with it: what each task does
    Shard(ShardOptions),
    /// How far each shard is
    Status(StatusOptions),
    /// Put together what there is so far, and report on it
    Fetch(FetchFleetOptions),
    /// What a host of `fleet ssh` answers: how far its shards are, as JSON
    #[command(hide = true)]
    State(FolderOptions),
    /// What a host of `fleet ssh` sends: a copy of each shard as it is now
    #[command(hide = true)]
    Copies(FolderOptions),
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

/// `humdrum fleet ssh`.
#[derive(Args, Clone, Debug)]
pub struct SshOptions {
    /// The hosts, one a line: HOST, USER@HOST or USER@HOST:PORT
    pub hostfile: PathBuf,
    /// The plan, TOML
    pub plan: PathBuf,
    /// Shards for each host, one after the other
    #[arg(long, default_value_t = 1)]
    pub per_host: u32,
    /// Folder here for the shards and the result [default: humdrum-results/fleet-PLAN]
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    /// An archive by `humdrum pack`, which each host unpacks first: for hosts without network
    #[arg(long)]
    pub archive: Option<PathBuf>,
    /// A file or folder that the plan names by a relative path, such as a workload folder; it is copied to each host
    #[arg(long = "with", value_name = "PATH")]
    pub with: Vec<PathBuf>,
    /// The program for the hosts, for instance a static one [default: this one]
    #[arg(long)]
    pub program: Option<PathBuf>,
    /// Where to work on each host, from the account's home
    #[arg(long, value_name = "FOLDER", default_value = "humdrum-fleet")]
    pub far: String,
    /// The command that connects, with options
    #[arg(long, value_name = "COMMAND", default_value = "ssh")]
    pub ssh: String,
    /// Print every command, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// A fleet's folder alone.
#[derive(Args, Clone, Debug)]
pub struct FolderOptions {
    /// The folder of the fleet
    pub folder: PathBuf,
}

/// `humdrum fleet cancel`.
#[derive(Args, Clone, Debug)]
pub struct CancelOptions {
    /// The folder that `humdrum fleet ssh` made
    pub folder: PathBuf,
    /// Also remove the folder on each host; fetch first
    #[arg(long)]
    pub remove: bool,
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
    /// The folder that `humdrum fleet slurm` or `ssh` made
    pub folder: PathBuf,
}

/// `humdrum fleet fetch`.
#[derive(Args, Clone, Debug)]
pub struct FetchFleetOptions {
    /// The folder that `humdrum fleet slurm` or `ssh` made
    pub folder: PathBuf,
    /// Over ssh: wait until nothing runs any more
    #[arg(long)]
    pub wait: bool,
    /// Folder for the merged results; it must not exist [default: `merged` in that folder, replaced each time]
    #[arg(short, long)]
    pub out: Option<PathBuf>,
}

//! `humdrum fleet`: the shards of a plan on many hosts. Another program distributes them: Slurm, or any shell that runs
//! `humdrum fleet shard FOLDER NUMBER` on each host. Over ssh, each host has a folder of its own, and a copy of the program.
//!
//! ```text
//!   FOLDER/fleet.json    the plan, its checksum, and the jobs that were submitted
//!   FOLDER/shard.sh      the array job; merge.sh, the job after it
//!   FOLDER/shards/N/     the results of shard N
//!   FOLDER/logs/         what the jobs print
//!   FOLDER/merged/       all shards together
//!   FOLDER/far/          over ssh: what each host gets; there, its folder has the shards of that host
//! ```

mod far;
mod fetch;
mod folder;
mod hosts;
mod prepare;
mod remote;
mod script;
mod shard;
mod slurm;
mod ssh;
mod status;

use humdrum_model::Fault;

use crate::args::{FleetOptions, FleetVerb};
use crate::lab::Lab;

/// `humdrum fleet`.
///
/// # Errors
/// As its verbs.
pub fn fleet(lab: &mut Lab, options: &FleetOptions) -> Result<u8, Fault> {
    match &options.verb {
        FleetVerb::Slurm(options) => slurm::slurm(lab, options),
        FleetVerb::Ssh(options) => ssh::ssh(lab, options),
        FleetVerb::Resume(options) => ssh::resume(options),
        FleetVerb::Cancel(options) => ssh::cancel(options),
        FleetVerb::Shard(options) => shard::shard(lab, options),
        FleetVerb::Status(options) => status::status(options),
        FleetVerb::Fetch(options) => fetch::fetch(lab, options),
        FleetVerb::State(options) => far::state(&options.folder),
        FleetVerb::Copies(options) => far::copies(&options.folder),
    }
}

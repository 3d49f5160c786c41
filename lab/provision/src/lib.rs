//! Stage 2: fetches, unpacks, starts, freezes, thaws and stops the servers that are measured, and describes the host.
//! Nothing here knows any engine; engines call this crate.

pub mod building;
pub mod cgroup;
pub mod checksum;
pub mod commits;
pub mod copies;
pub mod debian;
pub mod dirs;
pub mod doctor;
pub mod fetch;
pub mod guardian;
pub mod hosts;
pub mod lock;
pub mod logs;
pub mod maven;
pub mod npm;
pub mod pack;
pub mod program;
pub mod results_branch;
pub mod run_folder;
pub mod secret;
pub mod server_url;
pub mod signal;
pub mod sources;
mod system;
pub mod tools;
pub mod unpack;

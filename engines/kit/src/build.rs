//! A build on this host.

use std::path::PathBuf;

use humdrum_model::SubjectFacts;

use crate::preload::Preload;
use crate::version::Version;

/// A build on this host.
#[derive(Clone, Debug)]
pub struct Build {
    /// The engine's name and the release's (`mysql 8.0.33`), for messages.
    pub name: String,
    /// The release, as the build or the catalogue calls it.
    pub release: String,
    /// Its number.
    pub version: Version,
    /// The folder that holds all of it; a real path, because servers go elsewhere before they look for anything.
    pub root: PathBuf,
    /// The server, below that folder.
    pub program: PathBuf,
    /// What is known of it.
    pub facts: SubjectFacts,
    /// Names the build for a fingerprint.
    pub checksum: String,
    /// The allocator that servers run with, if it is not the build's own.
    pub preload: Option<Preload>,
    /// (uid, gid) that servers run as.
    pub run_as: Option<(u32, u32)>,
}

//! A library on this host.

use std::path::PathBuf;

use humdrum_model::SubjectFacts;

use crate::launch::Launch;

/// A library on this host.
#[derive(Clone, Debug)]
pub(crate) struct Build {
    /// The library.
    pub(crate) file: PathBuf,
    /// The release.
    pub(crate) release: String,
    /// What is known of it.
    pub(crate) facts: SubjectFacts,
    /// Names the build for a fingerprint.
    pub(crate) checksum: String,
    /// Whom workers run as.
    pub(crate) run_as: Option<(u32, u32)>,
    /// How a worker is started.
    pub(crate) launch: Launch,
}

//! What a plan asks: the table `[experiment]` of its file. A run takes no notice of it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The keys of `[experiment]`. Paths are relative to the plan's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Experiment {
    /// The question, in one sentence.
    pub question: String,
    /// Claims of `published/claims.tsv` that it asks, `POST 1-3,7` each.
    pub claims: Vec<String>,
    /// Tables of published figures that answer it.
    pub published: Vec<PathBuf>,
    /// What is not as in the publication, a sentence each.
    pub differs: Vec<String>,
    /// Our answers: tables that a run of this plan wrote (`summary.tsv`), as `HOST=PATH`.
    pub records: Vec<String>,
    /// Why no host that is at hand can run it.
    pub cannot: Option<String>,
}

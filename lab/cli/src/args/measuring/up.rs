//! Options of `humdrum up` and `humdrum down`.

use clap::Args;

/// `humdrum up`.
#[derive(Args, Clone, Debug)]
pub struct UpOptions {
    /// What to start
    pub subject: String,
}

/// `humdrum down`.
#[derive(Args, Clone, Debug)]
pub struct DownOptions {
    /// Only the server of this label [default: all that `up` started]
    pub label: Option<String>,
}

//! Options of `humdrum completions` and `humdrum man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// How a shell finds them.
pub const COMPLETIONS_HELP: &str = "Where shells look for them:\n  \
    humdrum completions bash > ~/.local/share/bash-completion/completions/humdrum\n  \
    humdrum completions zsh > ~/.zfunc/_humdrum              a folder of $fpath\n  \
    humdrum completions fish > ~/.config/fish/completions/humdrum.fish";

/// `humdrum completions`.
#[derive(Args, Clone, Debug)]
pub struct CompletionsOptions {
    /// The shell that is to complete what is typed
    pub shell: Shell,
}

/// `humdrum man`.
#[derive(Args, Clone, Debug)]
pub struct ManOptions {
    /// Folder for a page of every verb; without it, the page of `humdrum` goes to standard output
    pub folder: Option<PathBuf>,
}

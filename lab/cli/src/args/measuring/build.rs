//! Options of `humdrum build`.

use std::path::PathBuf;

use clap::Args;

/// Examples, and settings of a build.
pub const HELP: &str = "Examples:\n  \
    humdrum build postgres@src:../postgres#master       a revision of a repository; it is only read\n  \
    humdrum build postgres@src:../postgres              the files as they are\n  \
    humdrum build postgres@17.12                        the source package, by apt-get source\n  \
    humdrum build postgres@src:../postgres#master+cc=clang+lto=thin --patch fix.patch\n\n\
    Settings of a build: cc=gcc-12|clang|PATH, opt=-O2, lto=off|thin|full, march=native, frame_pointers=on|off,\n\
    malloc=glibc|jemalloc|tcmalloc, assertions=on|off, patch=FILE, and the engine's own switches (with_lz4=on).\n\
    `compare`, `run`, `fetch` and `up` take such subjects too, and build what is not built yet.";

/// `humdrum build`.
#[derive(Args, Clone, Debug)]
pub struct BuildOptions {
    /// What to build
    #[arg(required = true)]
    pub subjects: Vec<String>,
    /// Where releases come from; there is one choice, so that it need not be said
    #[arg(long, default_value = "source")]
    pub from: String,
    /// Change the sources by a patch before they are built; may be repeated
    #[arg(long, value_name = "FILE")]
    pub patch: Vec<PathBuf>,
    /// Build a commit in the tree of the last one, which is kept: only what differs is compiled
    #[arg(long)]
    pub reuse_tree: bool,
    /// Show flags, commands, and what this host lacks; build nothing
    #[arg(long)]
    pub dry_run: bool,
}

//! The files that git tracks or would track, as text.

use std::path::Path;
use std::process::Command;

/// A text file.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Relative to the workspace, with `/`.
    pub path: String,
    /// Its content.
    pub text: String,
}

impl Source {
    /// Whether it is Rust.
    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }
}

/// All text files of the tree.
pub fn all(root: &Path) -> Result<Vec<Source>, String> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cannot run git: {error}"))?;
    if !listed.status.success() {
        return Err(String::from_utf8_lossy(&listed.stderr).trim().to_owned());
    }
    let names = String::from_utf8_lossy(&listed.stdout);
    let paths = names.split('\0').filter(|path| !path.is_empty());
    // Tracked files that were deleted, and binary files, are left out.
    Ok(paths
        .filter_map(|path| {
            let text = std::fs::read_to_string(root.join(path)).ok()?;
            Some(Source { path: path.to_owned(), text })
        })
        .collect())
}

//! Makes what was installed readable for the user that servers run as.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Lets everybody read files and walk through folders.
pub(super) fn open(path: &Path) -> std::io::Result<()> {
    let meta = fs::symlink_metadata(path)?;
    if meta.is_symlink() {
        return Ok(());
    }
    let mode = meta.permissions().mode();
    let runs = if meta.is_dir() || mode & 0o100 != 0 { 0o111 } else { 0 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode | 0o444 | runs))?;
    if meta.is_dir() {
        for entry in fs::read_dir(path)? {
            open(&entry?.path())?;
        }
    }
    Ok(())
}

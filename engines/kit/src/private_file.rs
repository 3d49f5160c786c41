//! Files in which users keep passwords.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The user's own folder, where `HOME` names it.
pub fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}

/// The text of a file in which a user keeps passwords; `None` if there is no file.
///
/// # Errors
/// Why the file is left out: it has one of the permissions `forbidden`, or cannot be read. `mode` is what it should have.
pub fn read(path: &Path, forbidden: u32, mode: &str) -> Result<Option<String>, String> {
    let shown = path.display();
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("{shown} was left out: {error}")),
    };
    if meta.is_file() && meta.permissions().mode() & forbidden != 0 {
        let why = "others than its owner have access to it";
        return Err(format!("{shown} was left out, because {why}: chmod {mode} {shown}"));
    }
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) => Err(format!("{shown} was left out: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_others_may_read_is_left_out() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("pass");
        assert_eq!(read(&path, 0o077, "0600"), Ok(None));
        fs::write(&path, "text").expect("written");
        let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("mode");
        mode(0o640);
        let why = read(&path, 0o077, "0600").expect_err("left out");
        assert!(why.ends_with(&format!("chmod 0600 {}", path.display())), "{why}");
        mode(0o600);
        assert_eq!(read(&path, 0o077, "0600"), Ok(Some("text".into())));
    }
}

//! Passwords for servers that this program starts: generated, and kept in a file that only the servers' user can read.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use humdrum_contract::Outcome;
use humdrum_model::Fault;

use crate::run_folder;

const PASSWORD_BYTES: usize = 16;

/// Makes a password of hexadecimal digits, writes it to a new file at `path` and returns it.
///
/// # Errors
/// Environment.
pub fn make_password(path: &Path, run_as: Option<(u32, u32)>) -> Outcome<String> {
    let mut bytes = [0_u8; PASSWORD_BYTES];
    let source = Path::new("/dev/urandom");
    let random = File::open(source).and_then(|mut file| file.read_exact(&mut bytes));
    random.map_err(|error| refused("read", source, &error))?;
    let password: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    write_private(path, &format!("{password}\n"), run_as)?;
    Ok(password)
}

/// Writes a new file that only the servers' user can read.
///
/// # Errors
/// Environment.
pub fn write_private(path: &Path, text: &str, run_as: Option<(u32, u32)>) -> Outcome<()> {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| refused("write", path, &error))?;
    run_folder::give(path, run_as)
}

fn refused(verb: &str, path: &Path, error: &std::io::Error) -> Fault {
    Fault::environment(format!("cannot {verb} {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn passwords_are_private_and_never_the_same() {
        let home = tempfile::tempdir().expect("home");
        let passwords = ["a", "b"].map(|name| {
            let path = home.path().join(name);
            let password = make_password(&path, None).expect("password");
            let mode = std::fs::metadata(&path).expect("meta").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            assert_eq!(std::fs::read_to_string(&path).expect("text").trim(), password);
            password
        });
        assert_ne!(passwords[0], passwords[1]);
        assert_eq!(passwords[0].len(), 2 * PASSWORD_BYTES);
        assert!(make_password(&home.path().join("a"), None).is_err(), "never over another");
    }
}

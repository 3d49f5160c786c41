//! The parts of a build: programs are in `bin`, or in Debian's builds below `usr/lib/postgresql`. A program
//! finds its other files relative to its own place.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use humdrum_engine_kit::Folders;
use humdrum_provision::unpack;

use crate::catalogue::major;

/// The server.
pub(crate) const SERVER: &str = "bin/postgres";
/// What makes a server's data; it lies beside the server.
pub(crate) const INITDB: &str = "initdb";

/// Below the root of a Debian build: one folder per major release.
const OF_DEBIAN: &str = "usr/lib/postgresql";

/// Builds as the kit asks for them.
pub(crate) const FOLDERS: Folders = Folders {
    program,
    lacks,
    hint: "name the folder that holds bin/postgres and bin/initdb: postgres@/usr/lib/postgresql/17; or the root of a copy of \
           Debian's files, which holds usr/lib/postgresql/17",
    shows_whole_path: false,
    wanted: unpack::everything,
    wanted_of_debian,
    debian_programs: |version| {
        ["postgres", INITDB].map(|name| format!("{OF_DEBIAN}/{}/bin/{name}", major(version))).to_vec()
    },
};

fn program(root: &Path) -> Option<PathBuf> {
    let majors = fs::read_dir(root.join(OF_DEBIAN)).into_iter().flatten().flatten();
    let of_debian = majors.map(|major| Path::new(OF_DEBIAN).join(major.file_name()).join(SERVER));
    let mut places = std::iter::once(PathBuf::from(SERVER)).chain(of_debian);
    places.find(|place| root.join(place).is_file())
}

fn lacks(folder: &Path) -> Option<&'static str> {
    let server = folder.join(program(folder).unwrap_or_else(|| SERVER.into()));
    [SERVER, "bin/initdb"].into_iter().find(|program| {
        let meta = server.with_file_name(&program["bin/".len()..]).metadata();
        !meta.is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    })
}

/// What is taken of Debian's package besides libraries.
fn wanted_of_debian(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let program =
        path.parent().is_some_and(|folder| folder.ends_with("bin")) && (name == "postgres" || name == INITDB);
    let home = path.starts_with(OF_DEBIAN);
    let module = home && path.extension().is_some_and(|ending| ending == "so");
    (home && program) || module || path.starts_with("usr/share/postgresql")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_of_a_copy_of_debians_files_is_a_build() {
        let root = tempfile::tempdir().expect("folder");
        assert_eq!(lacks(root.path()), Some(SERVER));
        for (name, missing) in [("postgres", Some("bin/initdb")), ("initdb", None)] {
            let path = root.path().join(OF_DEBIAN).join("17/bin").join(name);
            fs::create_dir_all(path.parent().expect("parent")).expect("folder");
            fs::write(&path, "").expect("file");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("set");
            assert_eq!(lacks(root.path()), missing);
        }
    }

    /// The server looks for `postgres.bki` where its makers put it, seen from its own place.
    #[test]
    fn a_copied_program_of_debian_finds_what_lies_apart() {
        let folder = tempfile::tempdir().expect("folder");
        let root = folder.path().join("postgres-19rc1");
        for name in ["usr/lib/postgresql/19/bin/postgres", "usr/share/postgresql/19/postgres.bki"] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().expect("parent")).expect("folder");
            fs::write(path, "").expect("file");
        }
        let to = folder.path().join("program");
        let program = program(&root).expect("found");
        assert_eq!(program, Path::new("usr/lib/postgresql/19/bin/postgres"));
        let program = humdrum_provision::program::place(&root, &program, &to);
        let bin = program.expect("placed").parent().expect("parent").to_path_buf();
        assert!(bin.starts_with(&to));
        assert!(bin.join("../../../../share/postgresql/19/postgres.bki").exists());
    }
}

//! Finds and makes the lab's directories on this host, and the user that servers run as.
//!
//! ```text
//! <cache>/downloads/   fetched files, with checksums
//! <cache>/builds/      unpacked builds, shared by runs
//! <cache>/runs/        one folder per run: data, sockets, logs; removed when the run ends
//! ```
//!
//! Database servers refuse to run as root. Under root they run as another user, who must be able to enter every one of
//! these folders. Root's home is often closed to other users; the directories are then made elsewhere.

use std::env;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use humdrum_contract::{Dirs, Interrupt, Outcome};
use humdrum_model::Fault;

/// Houses for root, when its own home is closed to the servers' user; the first that can be made is used.
const ROOT_CACHES: [&str; 2] = ["/var/cache/humdrum", "/var/tmp/humdrum-0"];

/// What the dirs depends on, taken from the environment once.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// `HUMDRUM_CACHE`.
    pub cache: Option<PathBuf>,
    /// `XDG_CACHE_HOME`.
    pub xdg_cache: Option<PathBuf>,
    /// `HOME`.
    pub home: Option<PathBuf>,
    /// `HUMDRUM_SERVER_USER`: a name, or `uid:gid`. Heeded under root only.
    pub server_user: Option<String>,
    /// We are root.
    pub root: bool,
}

impl Surroundings {
    /// Reads the environment.
    pub fn read() -> Self {
        let folder = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Self {
            cache: folder("HUMDRUM_CACHE"),
            xdg_cache: folder("XDG_CACHE_HOME"),
            home: folder("HOME"),
            server_user: env::var("HUMDRUM_SERVER_USER").ok().filter(|name| !name.is_empty()),
            root: rustix::process::geteuid().is_root(),
        }
    }
}

/// Finds the directories and makes them.
///
/// # Errors
/// Usage, when a variable names what cannot be used; environment, when no folder can be made.
pub fn find(surroundings: &Surroundings, allow_external: bool, interrupt: &Interrupt) -> Outcome<Dirs> {
    let run_as = server_user(surroundings)?;
    let root = choose(surroundings, run_as)?;
    let dirs = Dirs {
        runs: root.join("runs"),
        cache: root,
        run_as,
        allow_external,
        reuse_trees: false,
        interrupt: interrupt.clone(),
    };
    for folder in [downloads(&dirs), builds(&dirs), dirs.runs.clone()] {
        make_folder(&folder)?;
    }
    Ok(dirs)
}

/// Where downloads are kept.
pub fn downloads(dirs: &Dirs) -> PathBuf {
    dirs.cache.join("downloads")
}

/// Where unpacked builds are kept.
pub fn builds(dirs: &Dirs) -> PathBuf {
    dirs.cache.join("builds")
}

/// Makes a folder and those above it, open to be walked through and read by all.
///
/// # Errors
/// Environment, with what to type instead.
pub fn make_folder(folder: &Path) -> Outcome<()> {
    let refused = |error: std::io::Error| {
        Fault::environment(format!("cannot make the folder {}: {error}", folder.display()))
            .hint("set HUMDRUM_CACHE to a folder that you may write to, on a disk with room")
    };
    let missing: Vec<&Path> = folder.ancestors().take_while(|above| !above.exists()).collect();
    fs::DirBuilder::new().recursive(true).mode(0o755).create(folder).map_err(refused)?;
    // The umask may have taken bits away.
    missing.iter().try_for_each(|made| open_to_all(made)).map_err(refused)?;
    // Of its own for each call: two threads may look at once.
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let probe = folder.join(format!(".probe-{}-{call}", std::process::id()));
    fs::write(&probe, "").and_then(|()| fs::remove_file(&probe)).map_err(refused)
}

/// The nearest folder on the way to `path` that the user may not walk through.
pub fn first_closed(path: &Path, user: (u32, u32)) -> Option<PathBuf> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let mut way: Vec<&Path> = path.ancestors().filter(|above| above.exists()).collect();
    way.reverse();
    way.into_iter().find(|above| !walkable(above, user)).map(Path::to_path_buf)
}

fn walkable(folder: &Path, (uid, gid): (u32, u32)) -> bool {
    let Ok(meta) = fs::metadata(folder) else { return false };
    let bit = match (meta.uid() == uid, meta.gid() == gid) {
        (true, _) => 0o100,
        (false, true) => 0o010,
        (false, false) => 0o001,
    };
    !meta.is_dir() || uid == 0 || meta.mode() & bit != 0
}

fn open_to_all(folder: &Path) -> std::io::Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

fn choose(surroundings: &Surroundings, run_as: Option<(u32, u32)>) -> Outcome<PathBuf> {
    let closed = |path: &Path| run_as.and_then(|user| first_closed(path, user));
    if let Some(asked) = &surroundings.cache {
        return match closed(asked) {
            _ if !asked.is_absolute() => {
                Err(Fault::usage(format!("HUMDRUM_CACHE={} is not an absolute path", asked.display()))
                    .hint("start it with `/`"))
            }
            Some(folder) => Err(closed_fault(&folder)),
            None => Ok(asked.clone()),
        };
    }
    let below_home = surroundings.home.as_ref().map(|home| home.join(".cache"));
    let own = surroundings.xdg_cache.clone().or(below_home).filter(|path| path.is_absolute());
    match own.map(|cache| cache.join("humdrum")) {
        Some(own) if closed(&own).is_none() => Ok(own),
        _ if surroundings.root => root_cache(),
        _ => {
            Err(Fault::usage("there is no home folder to keep builds in")
                .hint("set HUMDRUM_CACHE to a folder"))
        }
    }
}

/// A folder that only root can have made, because in a place open to all another user's folder must not be
/// trusted.
fn root_cache() -> Outcome<PathBuf> {
    let mut last = Fault::environment("there is no place for root's folders");
    for path in ROOT_CACHES.map(PathBuf::from) {
        match make_folder(&path) {
            Ok(()) if fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir() && meta.uid() == 0) => {
                return Ok(path);
            }
            Ok(()) => last = Fault::environment(format!("{} belongs to somebody else", path.display())),
            Err(fault) => last = fault,
        }
    }
    Err(last.hint("set HUMDRUM_CACHE to a folder that every user may walk through"))
}

fn closed_fault(folder: &Path) -> Fault {
    let folder = folder.display();
    Fault::usage(format!("servers cannot run as root, and their user may not walk through {folder}")).hint(
        format!(
            "`chmod o+x {folder}`, set HUMDRUM_CACHE to another folder, or start humdrum as another user"
        ),
    )
}

/// The user that servers run as; `None`, unless we are root: the same user as this process.
fn server_user(surroundings: &Surroundings) -> Outcome<Option<(u32, u32)>> {
    if !surroundings.root {
        return Ok(None);
    }
    let name = surroundings.server_user.as_deref().unwrap_or("nobody");
    let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let hint = "set HUMDRUM_SERVER_USER to a user of this host, or to uid:gid";
    match find_user(&passwd, name) {
        Some((0, _)) => Err(Fault::usage("servers cannot run as root").hint(hint)),
        Some(user) => Ok(Some(user)),
        None => Err(Fault::usage(format!("there is no user `{name}` for servers to run as")).hint(hint)),
    }
}

fn find_user(passwd: &str, name: &str) -> Option<(u32, u32)> {
    let listed = passwd.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let found = listed
        .filter(|fields| fields.len() > 3 && fields[0] == name)
        .find_map(|fields| Some((fields[2].parse().ok()?, fields[3].parse().ok()?)));
    found.or_else(|| {
        let (uid, gid) = name.split_once(':')?;
        Some((uid.parse().ok()?, gid.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOBODY: (u32, u32) = (65_534, 65_534);

    fn as_root(cache: &Path) -> Surroundings {
        Surroundings { cache: Some(cache.into()), root: true, ..Surroundings::default() }
    }

    #[test]
    fn users_are_found_by_name_or_number() {
        let passwd = "root:x:0:0::/root:/bin/sh\nnobody:x:65534:65533:nobody:/:/bin/false\n";
        assert_eq!(find_user(passwd, "nobody"), Some((65_534, 65_533)));
        assert_eq!(find_user(passwd, "12:34"), Some((12, 34)));
        assert_eq!(find_user(passwd, "nobod"), None);
    }

    #[test]
    fn the_folders_follow_the_environment() {
        let folder = tempfile::tempdir().expect("folder");
        let surroundings = Surroundings { home: Some(folder.path().into()), ..Surroundings::default() };
        let dirs = find(&surroundings, true, &Interrupt::new()).expect("folders");
        assert_eq!(dirs.cache, folder.path().join(".cache/humdrum"));
        assert!(dirs.runs.is_dir() && builds(&dirs).is_dir() && downloads(&dirs).is_dir());
        assert_eq!((dirs.run_as, dirs.allow_external), (None, true));
    }

    #[test]
    fn a_closed_folder_is_named() {
        let folder = tempfile::tempdir().expect("folder");
        let closed = folder.path().join("closed");
        fs::create_dir(&closed).expect("closed");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("open");
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).expect("close");
        let canonical = closed.canonicalize().expect("canonical");
        assert_eq!(first_closed(&closed.join("new/cache"), (1, 1)), Some(closed.clone()));
        assert_eq!(first_closed(&closed, (1, 1)), Some(canonical));
        let fault = find(
            &Surroundings { server_user: Some("1:1".into()), ..as_root(&closed) },
            false,
            &Interrupt::new(),
        );
        assert!(fault.expect_err("closed").hint.expect("hint").contains("chmod o+x"));
    }

    #[test]
    fn bad_input_says_what_to_type() {
        let root = Surroundings { server_user: Some("no-such-user".into()), ..as_root(Path::new("/tmp")) };
        let fault = find(&root, false, &Interrupt::new()).expect_err("unknown user");
        assert!(fault.what.contains("no-such-user") && fault.exit_code() == 2);
        let relative = Surroundings { cache: Some("here".into()), ..Surroundings::default() };
        assert!(find(&relative, false, &Interrupt::new()).expect_err("relative").what.contains("absolute"));
        let nowhere = Surroundings { cache: Some("/proc/humdrum".into()), ..Surroundings::default() };
        assert_eq!(find(&nowhere, false, &Interrupt::new()).expect_err("unwritable").exit_code(), 3);
        assert_eq!(
            find(&Surroundings::default(), false, &Interrupt::new()).expect_err("homeless").exit_code(),
            2
        );
        assert!(
            server_user(&as_root(Path::new("/"))).expect("nobody").is_some_and(|user| user.0 == NOBODY.0)
        );
    }
}

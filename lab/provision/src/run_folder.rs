//! One folder per run. Its lock file is held until the run ends, so that `clean` and other runs leave the
//! folder alone while it is in use, and recognise it as stale afterwards.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use humdrum_contract::{Dirs, Outcome};
use humdrum_model::Fault;

use crate::signal;

/// Longest path of a socket: `sun_path` has 108 bytes, the last of which is NUL.
pub const SOCKET_PATH_BYTES_MAX: usize = 107;

const LOCK: &str = "lock";
/// Names a process that outlives the run (`humdrum up`).
const KEPT: &str = "kept";
/// In a server's folder: names the socket folder, when that had to be elsewhere.
const ELSEWHERE: &str = "socket-folder";

/// A run's folder. Dropping it removes it with all that is in it.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    run_as: Option<(u32, u32)>,
    _lock: File,
    keep: bool,
}

impl RunFolder {
    /// Makes and locks a new folder.
    ///
    /// # Errors
    /// Environment, when `runs` cannot be written.
    pub fn new(dirs: &Dirs) -> Outcome<Self> {
        crate::dirs::make_folder(&dirs.runs)?;
        for number in 0.. {
            // Short, because sockets' paths are.
            let path = dirs.runs.join(format!("{:x}-{number}", std::process::id()));
            match DirBuilder::new().mode(0o711).create(&path) {
                Ok(()) => {}
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(refused("make", &path, &error)),
            }
            fs::set_permissions(&path, fs::Permissions::from_mode(0o711))
                .map_err(|e| refused("open", &path, &e))?;
            if let Some(lock) = lock_new(&path)? {
                return Ok(Self { path, run_as: dirs.run_as, _lock: lock, keep: false });
            }
        }
        unreachable!("a run number is free")
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes an empty folder for one server in it, owned by the servers' user.
    ///
    /// # Errors
    /// Environment.
    pub fn home(&self, name: &str) -> Outcome<PathBuf> {
        let home = self.path.join(name);
        make_private(&home, self.run_as)?;
        Ok(home)
    }

    /// Keeps the folder for a server that outlives this run. The folder is stale once that process has ended.
    ///
    /// # Errors
    /// Environment, when that cannot be noted.
    pub fn keep_for(mut self, pid: u32) -> Outcome<PathBuf> {
        let file = self.path.join(KEPT);
        let started = signal::started(pid).unwrap_or_default();
        fs::write(&file, format!("{pid} {started}\n")).map_err(|error| refused("write", &file, &error))?;
        self.keep = true;
        Ok(self.path.clone())
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        if !self.keep {
            let _ = remove_run(&self.path);
        }
    }
}

/// Folders of runs that have ended.
pub fn stale_runs(dirs: &Dirs) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(&dirs.runs) else { return Vec::new() };
    let mut stale: Vec<_> =
        entries.flatten().map(|entry| entry.path()).filter(|path| is_stale(path)).collect();
    stale.sort();
    stale
}

/// Servers that outlive their run: (folder, process id).
pub fn kept_runs(dirs: &Dirs) -> Vec<(PathBuf, u32)> {
    let Ok(entries) = fs::read_dir(&dirs.runs) else { return Vec::new() };
    let mut kept: Vec<_> =
        entries.flatten().filter_map(|entry| Some((entry.path(), kept_process(&entry.path())?))).collect();
    kept.sort();
    kept
}

/// Removes a run's folder and the socket folders that its servers had elsewhere.
///
/// # Errors
/// Environment.
pub fn remove_run(path: &Path) -> Outcome<()> {
    for home in fs::read_dir(path).into_iter().flatten().flatten() {
        remove_elsewhere(&home.path());
    }
    fs::remove_dir_all(path).map_err(|error| refused("remove", path, &error))
}

/// Makes a folder for a server's socket: in the server's folder, or in the system's folder for temporary files where the
/// path would be too long for a socket.
///
/// # Errors
/// Environment, when neither can be made.
pub fn socket_folder(home: &Path, file_name: &str, run_as: Option<(u32, u32)>) -> Outcome<PathBuf> {
    let inside = home.join("s");
    let fits = |folder: &Path| folder.join(file_name).as_os_str().as_bytes().len() <= SOCKET_PATH_BYTES_MAX;
    if fits(&inside) {
        make_private(&inside, run_as)?;
        return Ok(inside);
    }
    for number in 0..10_000 {
        let elsewhere = PathBuf::from(format!("/tmp/humdrum-{:x}-{number}", std::process::id()));
        match make_private(&elsewhere, run_as) {
            Ok(()) => {
                let note = home.join(ELSEWHERE);
                fs::write(&note, elsewhere.as_os_str().as_bytes())
                    .map_err(|e| refused("write", &note, &e))?;
                return Ok(elsewhere);
            }
            Err(_) if elsewhere.exists() => {}
            Err(fault) => return Err(fault),
        }
    }
    Err(Fault::environment("there is no room for a socket in /tmp")
        .hint("set HUMDRUM_CACHE to a shorter path"))
}

/// Free bytes that this process may use on the disk of a folder.
///
/// # Errors
/// Environment, when it cannot be asked.
pub fn free_bytes(folder: &Path) -> Outcome<u64> {
    let disk =
        rustix::fs::statvfs(folder).map_err(|error| refused("look at the disk of", folder, &error.into()))?;
    Ok(disk.f_bavail * disk.f_frsize)
}

/// Fails unless the disk has `needed_bytes` free.
///
/// # Errors
/// Environment, with the number of bytes missing.
pub fn require_free(folder: &Path, needed_bytes: u64) -> Outcome<()> {
    const MIB: u64 = 1 << 20;
    let free = free_bytes(folder)?;
    if free >= needed_bytes {
        return Ok(());
    }
    let (needed, free) = (needed_bytes.div_ceil(MIB), free / MIB);
    let what = format!("{} has {free} MiB free and {needed} MiB are needed", folder.display());
    Err(Fault::environment(what).hint("`humdrum clean`, a smaller --scale, or HUMDRUM_CACHE on another disk"))
}

/// Makes a folder that only the servers' user (and root) can enter; fails as `give` does.
pub fn make_private(path: &Path, run_as: Option<(u32, u32)>) -> Outcome<()> {
    DirBuilder::new().mode(0o700).create(path).map_err(|error| refused("make", path, &error))?;
    give(path, run_as)
}

/// Gives a file or folder to the servers' user.
///
/// # Errors
/// Environment.
pub fn give(path: &Path, run_as: Option<(u32, u32)>) -> Outcome<()> {
    let Some((uid, gid)) = run_as else { return Ok(()) };
    chown(path, Some(uid), Some(gid)).map_err(|error| refused("give away", path, &error))
}

/// Locks the lock file of a new folder; `None` when a cleaner was faster.
fn lock_new(folder: &Path) -> Outcome<Option<File>> {
    let path = folder.join(LOCK);
    let Ok(file) = File::create(&path) else { return Ok(None) };
    file.lock().map_err(|error| refused("lock", &path, &error))?;
    let ours = file.metadata().map(|meta| meta.ino()).ok();
    Ok((ours.is_some() && fs::metadata(&path).map(|meta| meta.ino()).ok() == ours).then_some(file))
}

fn is_stale(folder: &Path) -> bool {
    match File::open(folder.join(LOCK)) {
        Ok(lock) => {
            !matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) && kept_process(folder).is_none()
        }
        // Just made and not locked yet, or what a cleaner left.
        Err(_) => folder.is_dir() && age(folder) > Duration::from_secs(60),
    }
}

fn kept_process(folder: &Path) -> Option<u32> {
    let text = fs::read_to_string(folder.join(KEPT)).ok()?;
    let (pid, started) = text.trim().split_once(' ')?;
    let pid = pid.parse().ok()?;
    (signal::is_alive(pid) && signal::started(pid)? == started.parse::<u64>().ok()?).then_some(pid)
}

fn age(folder: &Path) -> Duration {
    let modified = fs::metadata(folder).and_then(|meta| meta.modified());
    modified.ok().and_then(|time| SystemTime::now().duration_since(time).ok()).unwrap_or_default()
}

/// The note lies in a folder of the servers' user, so it is believed only as far as it names what we make.
fn remove_elsewhere(home: &Path) {
    let Ok(text) = fs::read_to_string(home.join(ELSEWHERE)) else { return };
    let name = text.strip_prefix("/tmp/humdrum-").unwrap_or_default();
    if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-') {
        let _ = fs::remove_dir_all(&text);
    }
}

fn refused(verb: &str, path: &Path, error: &std::io::Error) -> Fault {
    Fault::environment(format!("cannot {verb} {}: {error}", path.display()))
        .hint("set HUMDRUM_CACHE to a folder that you may write to, on a disk with room")
}

#[cfg(test)]
mod tests {
    use super::*;
    use humdrum_contract::Interrupt;

    fn dirs(root: &Path) -> Dirs {
        let (cache, runs, interrupt) = (root.into(), root.join("runs"), Interrupt::new());
        Dirs { cache, runs, run_as: None, allow_external: false, reuse_trees: false, interrupt }
    }

    #[test]
    fn a_run_is_alive_as_long_as_it_is_held() {
        let root = tempfile::tempdir().expect("root");
        let dirs = dirs(root.path());
        let one = RunFolder::new(&dirs).expect("one");
        let two = RunFolder::new(&dirs).expect("two");
        assert_ne!(one.path(), two.path());
        assert!(one.home("pg").expect("home").is_dir());
        assert!(stale_runs(&dirs).is_empty());
        let left = dirs.runs.join("dead-0");
        fs::create_dir(&left).expect("left");
        assert!(stale_runs(&dirs).is_empty(), "may have been made just now");
        fs::write(left.join(LOCK), "").expect("lock");
        assert_eq!(stale_runs(&dirs), [left]);
        let path = one.path().to_path_buf();
        drop(one);
        assert!(!path.exists());
    }

    #[test]
    fn a_kept_run_is_stale_when_its_server_has_ended() {
        let root = tempfile::tempdir().expect("root");
        let dirs = dirs(root.path());
        let mut server = std::process::Command::new("sleep").arg("600").spawn().expect("sleep");
        let path = RunFolder::new(&dirs).expect("run").keep_for(server.id()).expect("keep");
        assert!(stale_runs(&dirs).is_empty());
        assert_eq!(kept_runs(&dirs), [(path.clone(), server.id())]);
        server.kill().expect("kill");
        server.wait().expect("wait");
        // A process that another test starts just now may hold a copy of the lock until it runs its program.
        let held = |_: &u32| stale_runs(&dirs).is_empty();
        (0..100).take_while(held).for_each(|_| std::thread::sleep(Duration::from_millis(20)));
        assert_eq!(stale_runs(&dirs), std::slice::from_ref(&path));
        remove_run(&path).expect("remove");
        assert!(kept_runs(&dirs).is_empty());
    }

    #[test]
    fn sockets_of_deep_folders_go_elsewhere() {
        let root = tempfile::tempdir().expect("root");
        let shallow = socket_folder(root.path(), ".s.PGSQL.5432", None).expect("shallow");
        assert!(shallow.starts_with(root.path()));
        let run = root.path().join("run");
        let deep = run.join("d".repeat(100));
        fs::create_dir_all(&deep).expect("deep");
        let folder = socket_folder(&deep, ".s.PGSQL.5432", None).expect("elsewhere");
        assert!(folder.join(".s.PGSQL.5432").as_os_str().len() <= SOCKET_PATH_BYTES_MAX);
        remove_run(&run).expect("remove");
        assert!(!folder.exists());
    }

    #[test]
    fn a_note_that_names_something_else_is_not_believed() {
        let root = tempfile::tempdir().expect("root");
        let (precious, home) = (root.path().join("precious"), root.path().join("run/home"));
        fs::create_dir_all(&home).expect("home");
        fs::create_dir(&precious).expect("precious");
        fs::write(home.join(ELSEWHERE), format!("/tmp/humdrum-0/../..{}", precious.display())).expect("note");
        remove_run(&root.path().join("run")).expect("remove");
        assert!(precious.exists());
    }

    #[test]
    fn says_how_much_room_is_missing() {
        let root = tempfile::tempdir().expect("root");
        require_free(root.path(), 1).expect("one byte is free");
        assert!(require_free(root.path(), u64::MAX).expect_err("full").what.contains("MiB are needed"));
    }
}

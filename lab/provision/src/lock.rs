//! A lock between humdrum processes on one host: the first fetches a build, the others wait and then find it cached.

use std::fs::{File, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use humdrum_contract::{Interrupt, Outcome, Progress, Update};
use humdrum_model::Fault;

/// Held until dropped, or until this process ends however it ends.
#[derive(Debug)]
pub struct CacheLock {
    _file: File,
}

/// Takes the lock; waits while another process holds it.
///
/// # Errors
/// Interrupted; environment, when the lock file cannot be made.
pub fn take(path: &Path, what: &str, interrupt: &Interrupt, progress: &dyn Progress) -> Outcome<CacheLock> {
    let refused = |error: std::io::Error| {
        Fault::environment(format!("cannot lock {}: {error}", path.display()))
            .hint("set HUMDRUM_CACHE to a folder that you may write to")
    };
    let mut file = File::create(path).map_err(refused)?;
    let mut said = false;
    loop {
        match file.try_lock() {
            Ok(()) if is_at(&file, path) => return Ok(CacheLock { _file: file }),
            // `humdrum clean` has removed it meanwhile, and others lock another file of this name.
            Ok(()) => {
                file = File::create(path).map_err(refused)?;
                continue;
            }
            Err(TryLockError::Error(error)) => return Err(refused(error)),
            Err(TryLockError::WouldBlock) => {}
        }
        if !std::mem::replace(&mut said, true) {
            progress.update(Update::Note(&format!("another humdrum is getting {what}, waiting for it")));
        }
        interrupt.check()?;
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Takes a lock that nobody holds, for as long as something is removed; `None`: somebody holds it. Where there is no file, nobody does, and
/// none is made.
pub fn take_free(path: &Path) -> Option<Option<CacheLock>> {
    let Ok(file) = File::open(path) else { return Some(None) };
    file.try_lock().is_ok().then(|| Some(CacheLock { _file: file }))
}

/// Whether a file that was opened is still the one of this name.
fn is_at(file: &File, path: &Path) -> bool {
    let of = |meta: std::fs::Metadata| (meta.dev(), meta.ino());
    let both = file.metadata().map(of).ok().zip(std::fs::metadata(path).map(of).ok());
    both.is_some_and(|(opened, there)| opened == there)
}

#[cfg(test)]
mod tests {
    use super::*;
    use humdrum_contract::Silent;

    #[test]
    fn one_holds_and_the_other_waits_or_is_interrupted() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("lock");
        let (free, stop) = (Interrupt::new(), Interrupt::new());
        stop.set();
        assert!(take_free(&path).is_some_and(|held| held.is_none()));
        let held = take(&path, "it", &free, &Silent).expect("first");
        assert!(take_free(&path).is_none());
        assert_eq!(take(&path, "it", &stop, &Silent).expect_err("interrupted").exit_code(), 130);
        let waiter = {
            let (path, free) = (path.clone(), free.clone());
            std::thread::spawn(move || take(&path, "it", &free, &Silent).is_ok())
        };
        drop(held);
        assert!(waiter.join().expect("waiter"));
    }

    #[test]
    fn a_lock_that_was_removed_is_not_held() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("lock");
        let old = File::create(&path).expect("made");
        assert!(is_at(&old, &path));
        std::fs::remove_file(&path).expect("removed");
        assert!(!is_at(&old, &path));
        let _held = take(&path, "it", &Interrupt::new(), &Silent).expect("taken");
        assert!(path.exists() && !is_at(&old, &path));
    }
}

//! A lock between humdrum processes on one host: the first fetches a build, the others wait and then find it cached.

use std::fs::{File, TryLockError};
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
    let file = File::create(path).map_err(refused)?;
    let mut said = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(CacheLock { _file: file }),
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

/// Whether nobody holds a lock.
pub fn is_free(path: &Path) -> bool {
    File::open(path).map_or(true, |file| file.try_lock().is_ok())
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
        assert!(is_free(&path));
        let held = take(&path, "it", &free, &Silent).expect("first");
        assert!(!is_free(&path));
        assert_eq!(take(&path, "it", &stop, &Silent).expect_err("interrupted").exit_code(), 130);
        let waiter = {
            let (path, free) = (path.clone(), free.clone());
            std::thread::spawn(move || take(&path, "it", &free, &Silent).is_ok())
        };
        drop(held);
        assert!(waiter.join().expect("waiter"));
    }
}

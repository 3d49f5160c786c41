//! What the host does with memory.

use humdrum_model::Finding;

use super::{fine, graded, warning};
use crate::system::{self, read};

/// The kind of virtio device that is a memory balloon, and the bit of its features that says that free pages are
/// reported to the host (virtio 1.2, section 5.5).
const BALLOON: &str = "0x0005";
const REPORTS_FREE_PAGES: usize = 5;

pub(super) fn huge_pages() -> Finding {
    match system::huge_pages().as_deref() {
        Some("always") => {
            let advice = "whether a server gets huge pages then changes by chance between restarts: \
                          `echo madvise > /sys/kernel/mm/transparent_hugepage/enabled`";
            warning("transparent huge pages", "always".into(), advice)
        }
        Some(other) => fine("transparent huge pages", other),
        None => fine("transparent huge pages", "not in this kernel"),
    }
}

/// Whether the hypervisor takes back what is free.
pub(super) fn balloon() -> Finding {
    let devices = std::fs::read_dir("/sys/bus/virtio/devices").into_iter().flatten().flatten();
    let balloon = devices.map(|device| device.path()).find(|path| read(path.join("device")) == BALLOON);
    judged(balloon.map(|path| read(path.join("features"))).as_deref())
}

/// By the features of the balloon, a digit each.
fn judged(features: Option<&str>) -> Finding {
    match features {
        None => fine("memory balloon", "none"),
        Some(features) if features.as_bytes().get(REPORTS_FREE_PAGES) == Some(&b'1') => {
            let advice = "what was free for seconds is slow at its next use, and tests that fill files show it \
                          (docs/host-effects.md): ask for a machine whose memory is its own";
            warning("memory balloon", "free pages go back to the hypervisor".into(), advice)
        }
        Some(_) => fine("memory balloon", "takes nothing by itself"),
    }
}

pub(super) fn swap() -> Finding {
    let used =
        system::meminfo("SwapTotal").unwrap_or(0).saturating_sub(system::meminfo("SwapFree").unwrap_or(0));
    let found = if used == 0 { "none in use".to_owned() } else { format!("{} MiB in use", used >> 20) };
    graded("swap", found, used as f64, (64 << 20) as f64, f64::MAX, "`swapoff -a`, or a smaller --scale")
}

pub(super) fn locked_memory() -> Finding {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Memlock).current;
    let found = limit.map_or("no limit".to_owned(), |limit| format!("{} KiB a process", limit >> 10));
    let scarce = limit.is_some_and(|limit| limit < 64 << 10);
    let advice = "servers with io_uring need some: `ulimit -l unlimited`";
    if scarce { warning("locked memory", found, advice) } else { fine("locked memory", &found) }
}

#[cfg(test)]
mod tests {
    use humdrum_model::Level;

    use super::*;

    #[test]
    fn a_balloon_that_reports_free_pages_is_worth_a_warning() {
        assert_eq!(judged(None).level, Level::Fine);
        assert_eq!(judged(Some("01100001000")).level, Level::Fine);
        let found = judged(Some("01100101000"));
        assert_eq!((found.level, found.found.contains("go back")), (Level::Warning, true), "{found:?}");
        assert_eq!(judged(Some("")).level, Level::Fine, "features that cannot be read say nothing");
    }
}

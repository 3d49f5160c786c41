//! Cache sizes, from /sys/devices/system/cpu/cpu0/cache.

use std::path::Path;

use crate::system::read;

/// Bytes of the caches that one processor uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Caches {
    pub l1d_bytes: Option<u64>,
    pub l1i_bytes: Option<u64>,
    pub l2_bytes: Option<u64>,
    pub l3_bytes: Option<u64>,
}

/// The caches of the first processor.
pub(super) fn of_host() -> Caches {
    let folders = std::fs::read_dir("/sys/devices/system/cpu/cpu0/cache").into_iter().flatten().flatten();
    let entry = |folder: &Path| ["level", "type", "size"].map(|file| read(folder.join(file)));
    parse(&folders.map(|folder| entry(&folder.path())).collect::<Vec<_>>())
}

/// From (level, type, size), as `["2", "Unified", "2048K"]`.
pub(super) fn parse(entries: &[[String; 3]]) -> Caches {
    let mut caches = Caches::default();
    for [level, kind, size] in entries {
        let size = bytes(size);
        match (level.as_str(), kind.as_str()) {
            ("1", "Data" | "Unified") => caches.l1d_bytes = size,
            ("1", "Instruction") => caches.l1i_bytes = size,
            ("2", _) => caches.l2_bytes = size,
            ("3", _) => caches.l3_bytes = size,
            _ => {}
        }
    }
    caches
}

fn bytes(size: &str) -> Option<u64> {
    let digits = size.trim_end_matches(['K', 'M']);
    let shift = match &size[digits.len()..] {
        "K" => 10,
        "M" => 20,
        "" => 0,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_shl(shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_kernels_write() {
        let entry = |level: &str, kind: &str, size: &str| [level, kind, size].map(str::to_owned);
        let entries = [
            entry("1", "Data", "48K"),
            entry("1", "Instruction", "64K"),
            entry("2", "Unified", "2048K"),
            entry("3", "Unified", "491520K"),
        ];
        let expected = Caches {
            l1d_bytes: Some(48 << 10),
            l1i_bytes: Some(64 << 10),
            l2_bytes: Some(2 << 20),
            l3_bytes: Some(480 << 20),
        };
        assert_eq!(parse(&entries), expected);
        assert_eq!(parse(&[entry("2", "Unified", "")]), Caches::default());
        assert_eq!(parse(&[entry("3", "Unified", "16M")]).l3_bytes, Some(16 << 20));
    }
}

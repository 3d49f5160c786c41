//! Sizes of caches and logs, in proportion to the memory that a server is given.

use humdrum_contract::Sizing;

/// Bytes of the buffer pool: the reference gives it 23 of 32 GB; the rest is for sessions and the kernel. Later
/// releases round it up to whole chunks of 128 MiB in each of their instances (four, from a gigabyte on); earlier
/// ones do not, and would be given less.
pub fn shared_bytes(sizing: &Sizing) -> u64 {
    let wanted = sizing.memory_bytes.min(32 * GIB) * 23 / 32;
    let step = match wanted {
        GIB.. => 4 * CHUNK,
        CHUNK.. => CHUNK,
        _ => 16 * MIB,
    };
    (wanted / step * step).max(32 * MIB)
}

/// Bytes of the redo log: as much as the buffer pool, in bounds. The reference's 30 GB beside 32 GB of memory are
/// for hours of writing; here a test writes for seconds and pays before the next one, some hundred megabytes of log.
/// Every byte of it is written out when a server is made (but by later MySQL), and read once to keep a copy: two servers
/// of MariaDB with 4 GiB each took 23 s for that.
pub fn redo_bytes(sizing: &Sizing) -> u64 {
    shared_bytes(sizing).clamp(256 * MIB, GIB)
}

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const CHUNK: u64 = 128 * MIB;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_whole_chunks() {
        let sizes = |memory_bytes| {
            let sizing = Sizing { memory_bytes, cpus: 2, connections: 4 };
            (shared_bytes(&sizing) / MIB, redo_bytes(&sizing) / MIB)
        };
        assert_eq!(sizes(32 * GIB), (23 * 1024, 1024));
        assert_eq!(sizes(64 * GIB), (23 * 1024, 1024));
        assert_eq!(sizes(5 * GIB), (3584, 1024));
        assert_eq!(sizes(256 * MIB), (128, 256));
        assert_eq!(sizes(100 * MIB), (64, 256));
        assert_eq!(sizes(0), (32, 256));
    }
}

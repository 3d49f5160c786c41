//! Sizes of caches and logs, in proportion to the memory that a server is given.

use humdrum_contract::Sizing;
use humdrum_engine_kit::Reserve;

/// Bytes of the smallest buffer pool. Servers start with 5 MiB, but with so few pages every test measures evictions.
pub const POOL_LEAST_BYTES: u64 = 32 * MIB;

/// Bytes of the buffer pool: the reference gives it 23 of 32 GB; the rest is for sessions and the kernel. A memory limit leaves
/// it what `reserve` does not take. Later releases round it up to whole chunks of 128 MiB in each of their instances (four,
/// from a gigabyte on); earlier ones do not, and would be given less.
pub fn shared_bytes(sizing: &Sizing, reserve: &Reserve) -> u64 {
    let wanted = reserve.cache(sizing.memory_bytes.min(32 * GIB) * 23 / 32, sizing);
    let step = match wanted {
        GIB.. => 4 * CHUNK,
        CHUNK.. => CHUNK,
        _ => 16 * MIB,
    };
    wanted / step * step
}

/// Bytes of the redo log: as much as the buffer pool, in bounds. The reference's 30 GB beside 32 GB of memory are
/// for hours of writing; here a test writes for seconds and pays before the next one, some hundred megabytes of log.
/// Every byte of it is written out when a server is made (but by later MySQL), and read once to keep a copy: two servers
/// of MariaDB with 4 GiB each took 23 s for that.
pub fn redo_bytes(sizing: &Sizing, reserve: &Reserve) -> u64 {
    shared_bytes(sizing, reserve).clamp(256 * MIB, GIB)
}

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const CHUNK: u64 = 128 * MIB;

#[cfg(test)]
mod tests {
    use super::*;

    const RESERVE: Reserve =
        Reserve { server_bytes: 400 * MIB, connection_bytes: MIB, cache_least_bytes: POOL_LEAST_BYTES };

    /// MiB of the buffer pool and of the redo log.
    fn sizes(memory_bytes: u64, limit_bytes: Option<u64>) -> (u64, u64) {
        let sizing = Sizing { memory_bytes, limit_bytes, cpus: 2, connections: 20 };
        (shared_bytes(&sizing, &RESERVE) / MIB, redo_bytes(&sizing, &RESERVE) / MIB)
    }

    #[test]
    fn sizes_are_whole_chunks() {
        let sizes = |memory_bytes| sizes(memory_bytes, None);
        assert_eq!(sizes(32 * GIB), (23 * 1024, 1024));
        assert_eq!(sizes(64 * GIB), (23 * 1024, 1024));
        assert_eq!(sizes(5 * GIB), (3584, 1024));
        assert_eq!(sizes(256 * MIB), (128, 256));
        assert_eq!(sizes(100 * MIB), (64, 256));
        assert_eq!(sizes(0), (32, 256));
    }

    /// A server is given six tenths of its limit to share.
    #[test]
    fn a_limit_leaves_the_pool_what_the_server_does_not_take() {
        let sizes = |limit_mib: u64| sizes(limit_mib * MIB * 6 / 10, Some(limit_mib * MIB)).0;
        assert_eq!([8192, 4096].map(sizes), [3072, 1536], "its share");
        assert_eq!([800, 640, 548].map(sizes), [256, 128, 128], "what is left, in whole chunks");
        assert_eq!([547, 500, 452].map(sizes), [112, 80, 32], "and in smaller steps below one");
    }
}

//! How much of a memory limit is for a server's cache. One rule for all engines, which state what their servers need:
//!
//! ```text
//!   limit  ├── cache: what is wanted, if it fits ──┤├── connections ──┤├── the server itself ──┤
//! ```
//!
//! Without a limit the cache is what is wanted: the host has memory beside the shares that it gives to servers.

use humdrum_contract::Sizing;

/// The memory that a server needs beside its cache, and the smallest cache that it works with, in bytes.
///
/// It is one for all releases of an engine, that of the release that needs most: caches of different sizes would look like
/// a difference between releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reserve {
    /// Bytes that the server itself takes, whatever its cache holds.
    pub server_bytes: u64,
    /// Bytes for each connection that the server must accept.
    pub connection_bytes: u64,
    /// Bytes of the smallest cache.
    pub cache_least_bytes: u64,
}

impl Reserve {
    /// The smallest memory limit, in bytes, with which a server works that must accept so many connections.
    pub fn least_memory(&self, connections: u32) -> u64 {
        self.beside_cache(connections) + self.cache_least_bytes
    }

    /// Bytes of a server's cache: `wanted`, but no more than its memory limit leaves, and no less than the smallest cache.
    ///
    /// Limits below `least_memory` are refused before a server is made, so that the smallest cache fits too.
    pub fn cache(&self, wanted: u64, sizing: &Sizing) -> u64 {
        let left = |limit: u64| limit.saturating_sub(self.beside_cache(sizing.connections));
        wanted.min(sizing.limit_bytes.map_or(u64::MAX, left)).max(self.cache_least_bytes)
    }

    fn beside_cache(&self, connections: u32) -> u64 {
        self.server_bytes.saturating_add(self.connection_bytes * u64::from(connections))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;
    const RESERVE: Reserve =
        Reserve { server_bytes: 100 * MIB, connection_bytes: 2 * MIB, cache_least_bytes: 32 * MIB };

    /// MiB of the cache of a server with ten connections, of which 400 are wanted.
    fn cache(limit_mib: Option<u64>) -> u64 {
        let limit_bytes = limit_mib.map(|limit| limit * MIB);
        let sizing = Sizing { memory_bytes: 0, limit_bytes, cpus: 2, connections: 10 };
        RESERVE.cache(400 * MIB, &sizing) / MIB
    }

    #[test]
    fn a_cache_is_as_wanted_until_the_server_needs_the_rest() {
        assert_eq!([None, Some(4096), Some(520)].map(cache), [400, 400, 400]);
        assert_eq!([Some(519), Some(300), Some(152)].map(cache), [399, 180, 32]);
    }

    #[test]
    fn the_least_memory_leaves_the_smallest_cache() {
        assert_eq!(RESERVE.least_memory(10), 152 * MIB);
        assert_eq!([Some(151), Some(1)].map(cache), [32, 32], "refused before; no cache is smaller");
        let small = Sizing { memory_bytes: 0, limit_bytes: None, cpus: 2, connections: 10 };
        assert_eq!(RESERVE.cache(0, &small), 32 * MIB);
    }

    #[test]
    fn more_connections_leave_a_smaller_cache() {
        let of = |connections| {
            let sizing = Sizing { memory_bytes: 0, limit_bytes: Some(500 * MIB), cpus: 2, connections };
            RESERVE.cache(400 * MIB, &sizing) / MIB
        };
        assert_eq!([0, 10, 60, 1000].map(of), [400, 380, 280, 32]);
    }
}

//! What of a memory limit is for write buffers and block cache. Without a limit, both are as configured.
//!
//! ```text
//!   limit  ├─ write buffers: a quarter ─┤├─ the worker: 96 MiB ─┤├─ block cache ─┤├─ as much for the allocator ─┤
//! ```
//!
//! These are the largest sizes: what a configuration asks for is made smaller, never larger. What the user typed stays as it is.

use humdrum_contract::Sizing;
use humdrum_model::Setting;

use super::Chosen;

/// Bytes of the smallest block cache.
pub(crate) const CACHE_LEAST_BYTES: u64 = 8 << 20;

/// A worker with write buffers of 8 MiB and a cache of 20 MiB was 65 to 83 MiB large (`rocksdb-10.2-10.10-kv` in the records), so
/// that some 55 MiB are its own. The rest is for the buffers of direct I/O, 2 MiB for each file that a compaction reads, and
/// for what the allocator holds back.
const WORKER_BYTES: u64 = 96 << 20;

/// The write buffers have one part of the limit in so many. The reference's eight, of 128 MiB, are all there from 512M on.
const BUFFERS_PART: u64 = 4;
/// The block cache has one part in so many of what is left: with all threads in one heap, a worker with a cache of 92 MiB was up to
/// 235 MiB large, of which some 55 MiB are its own.
const CACHE_PART: u64 = 2;
/// With one write buffer, each write would wait while it is flushed.
const BUFFERS_FEWEST: u64 = 2;
/// The library makes no smaller one.
const BUFFER_LEAST_BYTES: u64 = 64 << 10;

const BUFFER_BYTES: &str = "write_buffer_size";
const BUFFERS: &str = "max_write_buffer_number";
const CACHE_BYTES: &str = "block_cache_bytes";
const CACHE_BYTES_MAX: &str = "block_cache_bytes_max";
const CACHE_PERCENT: &str = "block_cache_percent";

/// The smallest memory limit of a worker, in bytes: beside the write buffers' part it holds what the worker needs and the
/// smallest cache.
pub(crate) fn least_memory_bytes() -> u64 {
    let beside_buffers = WORKER_BYTES + CACHE_LEAST_BYTES * CACHE_PART;
    (beside_buffers * BUFFERS_PART).div_ceil(BUFFERS_PART - 1).next_multiple_of(1 << 20)
}

impl Chosen {
    /// Makes write buffers and block cache so small that they fit the memory limit, if there is one.
    pub(super) fn bound(&mut self, settings: &[Setting], sizing: &Sizing) {
        let Some(limit) = sizing.limit_bytes else { return };
        let typed = |name: &str| {
            settings.iter().any(|setting| matches!(setting, Setting::Value { key, .. } if key == name))
        };
        self.bound_buffers(limit / BUFFERS_PART, &typed);
        let others = WORKER_BYTES.saturating_add(self.buffers_bytes());
        let most = (limit.saturating_sub(others) / CACHE_PART).max(CACHE_LEAST_BYTES);
        if self.number(CACHE_BYTES) > most && !typed(CACHE_BYTES) {
            self.set(CACHE_BYTES, &most.to_string());
        }
        // The data that this is a share of are not known yet.
        if self.number(CACHE_PERCENT) > 0 && !typed(CACHE_PERCENT) && !typed(CACHE_BYTES_MAX) {
            self.set(CACHE_BYTES_MAX, &most.to_string());
        }
    }

    /// Fewer write buffers rather than smaller ones: their size is that of the files of the first level, and decides with it
    /// how much compactions write.
    fn bound_buffers(&mut self, most: u64, typed: &dyn Fn(&str) -> bool) {
        if self.buffers_bytes() <= most {
            return;
        }
        let (bytes, number) = self.buffers();
        let fewer = (most / bytes.max(1)).clamp(BUFFERS_FEWEST, number.max(BUFFERS_FEWEST));
        let number = if typed(BUFFERS) { number } else { fewer };
        self.set(BUFFERS, &number.to_string());
        if self.buffers_bytes() > most && !typed(BUFFER_BYTES) {
            self.set(BUFFER_BYTES, &(most / number.max(1)).max(BUFFER_LEAST_BYTES).to_string());
        }
    }

    /// Bytes of all write buffers together.
    fn buffers_bytes(&self) -> u64 {
        let (bytes, number) = self.buffers();
        bytes.saturating_mul(number)
    }

    /// Bytes of one write buffer, and how many there are; 0 where a value is none, which the library refuses.
    fn buffers(&self) -> (u64, u64) {
        (bytes_of(self.get(BUFFER_BYTES)).unwrap_or(0), self.number(BUFFERS))
    }

    /// The most bytes of a block cache that is a share of the data; `None` where it is not bounded.
    pub(crate) fn cache_bytes_max(&self) -> Option<u64> {
        Some(self.number(CACHE_BYTES_MAX)).filter(|bytes| *bytes > 0)
    }
}

/// A number in the library's language, which has units of 1024 (`2M`).
fn bytes_of(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        "t" => 1 << 40,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::super::resolve;
    use super::*;

    const MIB: u64 = 1 << 20;

    fn value(key: &str, value: &str) -> Setting {
        Setting::Value { key: key.into(), value: value.into() }
    }

    fn named(name: &str) -> Setting {
        Setting::Named(name.into())
    }

    /// With a limit of so many MiB, of which six tenths are the server's share.
    fn limited(settings: &[Setting], limit_mib: u64) -> Chosen {
        let (memory_bytes, limit_bytes) = (limit_mib * MIB * 6 / 10, Some(limit_mib * MIB));
        resolve(settings, &Sizing { memory_bytes, limit_bytes, cpus: 2, connections: 9 }).expect("resolves")
    }

    /// MiB of one write buffer, how many there are, and MiB of the cache at most, when it is a share of the data.
    fn sizes(settings: &[Setting], limit_mib: u64) -> (u64, u64, Option<u64>) {
        let chosen = limited(settings, limit_mib);
        let (bytes, number) = chosen.buffers();
        (bytes / MIB, number, chosen.cache_bytes_max().map(|bytes| bytes / MIB))
    }

    #[test]
    fn a_limit_has_fewer_write_buffers_and_a_smaller_cache() {
        let direct = [named("iodir")];
        assert_eq!(sizes(&direct, 1024), (16, 8, Some(400)), "half of what is left");
        assert_eq!(sizes(&direct, 512), (16, 8, Some(144)));
        assert_eq!(sizes(&direct, 256), (16, 4, Some(48)));
        assert_eq!(sizes(&direct, 150), (16, 2, Some(11)));
        assert_eq!(sizes(&[named("iodir"), named("sixteenth")], 256), (1, 8, Some(76)));
        assert_eq!(sizes(&[], 256), (16, 4, None), "the default's cache is no share of the data");
    }

    #[test]
    fn what_was_typed_stays() {
        let typed = [value("write_buffer_size", "64M"), value("max_write_buffer_number", "8")];
        assert_eq!(sizes(&typed, 256), (64, 8, None));
        assert_eq!(sizes(&[value("max_write_buffer_number", "8")], 256), (8, 8, None));
        assert_eq!(sizes(&[value("write_buffer_size", "32m")], 256), (32, 2, None));
        let percent = [named("iobuf"), value("block_cache_percent", "50")];
        assert_eq!(sizes(&percent, 256), (16, 4, None));
        let most = [named("iobuf"), value("block_cache_bytes_max", "1048576")];
        assert_eq!(sizes(&most, 256), (16, 4, Some(1)));
        let bytes = [value("block_cache_bytes", "268435456")];
        assert_eq!(limited(&bytes, 256).cache().0, 256 * MIB);
    }

    #[test]
    fn a_cache_that_is_no_share_of_the_data_fits_too() {
        let cache = |limit_mib| limited(&[], limit_mib).cache().0 / MIB;
        assert_eq!(cache(4096), 1474, "six tenths of its share");
        assert_eq!([256, 160, 150].map(cache), [48, 16, 11], "half of what is left");
    }

    #[test]
    fn without_a_limit_nothing_is_bounded() {
        let sizing = Sizing { memory_bytes: 100 * MIB, limit_bytes: None, cpus: 2, connections: 9 };
        let chosen = resolve(&[named("iodir")], &sizing).expect("resolves");
        assert_eq!((chosen.buffers(), chosen.cache_bytes_max()), ((16 * MIB, 8), None));
    }

    #[test]
    fn the_least_memory_holds_buffers_worker_and_the_smallest_cache() {
        let least = least_memory_bytes();
        assert_eq!(least, 150 * MIB);
        let beside = (least - least / BUFFERS_PART - WORKER_BYTES) / CACHE_PART;
        assert!((CACHE_LEAST_BYTES..CACHE_LEAST_BYTES + MIB).contains(&beside), "{beside}");
    }

    #[test]
    fn sizes_are_read_as_the_library_reads_them() {
        let read = ["64", "2k", "2M", "1G", "1T"].map(|text| bytes_of(text).expect(text));
        assert_eq!(read, [64, 2 << 10, 2 << 20, 1 << 30, 1 << 40]);
        assert!(["", "M", "2MB", "-1", "1.5G", "99999999T"].iter().all(|text| bytes_of(text).is_none()));
    }
}

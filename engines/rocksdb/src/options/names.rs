//! The tables of options by owner, and the named configurations.

/// What the lab sets by itself, and a user must not: where things are and what the lab reads.
pub(super) const OURS: [&str; 9] = [
    "block_based_table_factory",
    "create_if_missing",
    "db_log_dir",
    "env",
    "error_if_exists",
    "info_log_level",
    "max_log_file_size",
    "table_factory",
    "wal_dir",
];

/// Options that are not the library's but ours.
pub(super) const EXTRA: [&str; 5] =
    ["block_cache", "block_cache_bytes", "block_cache_bytes_max", "block_cache_percent", "statistics"];

/// Options of the table format, which the library takes inside `block_based_table_factory`.
pub(super) const TABLE: [&str; 33] = [
    "block_align",
    "block_restart_interval",
    "block_size",
    "block_size_deviation",
    "cache_index_and_filter_blocks",
    "cache_index_and_filter_blocks_with_high_priority",
    "checksum",
    "data_block_hash_table_util_ratio",
    "data_block_index_type",
    "decouple_partitioned_filters",
    "detect_filter_construct_corruption",
    "enable_index_compression",
    "filter_policy",
    "flush_block_policy_factory",
    "format_version",
    "index_block_restart_interval",
    "index_shortening",
    "index_type",
    "initial_auto_readahead_size",
    "max_auto_readahead_size",
    "metadata_block_size",
    "metadata_cache_options",
    "no_block_cache",
    "num_file_reads_for_auto_readahead",
    "optimize_filters_for_memory",
    "partition_filters",
    "pin_l0_filter_and_index_blocks_in_cache",
    "pin_top_level_index_and_filter",
    "prepopulate_block_cache",
    "read_amp_bytes_per_bit",
    "use_delta_encoding",
    "verify_compression",
    "whole_key_filtering",
];

/// A named configuration.
pub(super) struct Named {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) adds: &'static [(&'static str, &'static str)],
}

pub(super) const DEFAULT: &str = "byrx";

/// Alphabetical.
pub(super) const NAMED: [Named; 5] = [
    Named {
        name: "byos",
        about: "no compression, buffered, block cache of a sixteenth of the data: the system's cache serves reads",
        adds: &[("block_cache_percent", "6")],
    },
    Named {
        name: "byrx",
        about: "no compression, buffered, the block cache holds all data (the default)",
        adds: &[],
    },
    Named {
        name: "iobuf",
        about: "lz4 from the fourth level down, buffered, block cache of an eighth of the data",
        adds: &[("compression", "lz4"), ("block_cache_percent", "12")],
    },
    Named {
        name: "iodir",
        about: "as iobuf, with O_DIRECT for reads, flushes and compactions",
        adds: &[
            ("compression", "lz4"),
            ("block_cache_percent", "12"),
            ("use_direct_reads", "true"),
            ("use_direct_io_for_flush_and_compaction", "true"),
            ("prepopulate_block_cache", "kFlushOnly"),
            ("bytes_per_sync", "0"),
        ],
    },
    Named {
        name: "sixteenth",
        about: "memtable, files and first level of a sixteenth of the reference's: a whole tree at small scales",
        adds: &[
            ("write_buffer_size", "1048576"),
            ("target_file_size_base", "1048576"),
            ("max_bytes_for_level_base", "4194304"),
        ],
    },
];

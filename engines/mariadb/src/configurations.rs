//! The reference's configurations for MariaDB, sized to the memory of a server here. Settings whose default
//! changed between releases are set explicitly, because a changed default would look like a regression.
//!
//! The reference's host has 8 processors and 32 GB. Each departure has its reason beside it.

use humdrum_contract::Sizing;
use humdrum_engine_kit::{Line, Named, Reserve, Span, Version};
use humdrum_engine_mysql_family::{POOL_LEAST_BYTES, redo_bytes, shared_bytes};

const GIB: u64 = 1 << 30;

/// For 10.1 and 11.4, which need most. With 40 MiB of data in a pool of 3072 MiB they were 475 and 425 MiB large, 10.11.19 335 and
/// 11.8.9 350 (`mariadb-10.1-to-11.8` in the records). The data, some 30 MiB of the program, which does not count for the limit,
/// and what describes the pages of the pool are not the server's, so that 200 to 320 MiB are. 10.11.19 and 11.8.9 were killed
/// with 160 MiB beside the pool.
pub(crate) const RESERVE: Reserve =
    Reserve { server_bytes: 320 << 20, connection_bytes: 2 << 20, cache_least_bytes: POOL_LEAST_BYTES };

/// Releases whose binary log can be kept by InnoDB.
const BINLOG_IN_INNODB: Span = Span::from(12, 3, 0);
/// The binary log in InnoDB. Transactions are synced by the redo log then, and `sync_binlog` has no say.
const C: [(&str, &str); 2] = [("binlog_storage_engine", "innodb"), ("innodb_flush_log_at_trx_commit", "2")];

/// Alphabetical.
pub(crate) const NAMED: [Named; 8] = [
    Named {
        name: "z12b",
        about: "the reference's settings, for all releases (their default); no sync on commit",
        span: Span::ALL,
        adds: &[],
        variant: false,
    },
    Named {
        name: "z12b_dw0",
        about: "as z12b without the doublewrite buffer, for all releases: what torn-page safety costs",
        span: Span::ALL,
        adds: &[("innodb_doublewrite", "OFF")],
        variant: false,
    },
    Named {
        name: "z12b_sync",
        about: "as z12b, redo and binary log synced at every commit, for all releases",
        span: Span::ALL,
        adds: &[("innodb_flush_log_at_trx_commit", "1"), ("sync_binlog", "1")],
        variant: false,
    },
    Named {
        name: "z12b_sync_dw0",
        about: "as z12b_sync without the doublewrite buffer, for all releases",
        span: Span::ALL,
        adds: &[("innodb_doublewrite", "OFF"), ("innodb_flush_log_at_trx_commit", "1"), ("sync_binlog", "1")],
        variant: false,
    },
    Named {
        name: "z12c",
        about: "as z12b with the binary log kept in InnoDB, for 12.3 and later (releases before cannot)",
        span: BINLOG_IN_INNODB,
        adds: &C,
        variant: false,
    },
    Named {
        name: "z12c_dw0",
        about: "as z12c without the doublewrite buffer, for 12.3 and later",
        span: BINLOG_IN_INNODB,
        adds: &[C[0], C[1], ("innodb_doublewrite", "OFF")],
        variant: false,
    },
    Named {
        name: "z12c_sync",
        about: "as z12c, redo log synced at every commit, for 12.3 and later",
        span: BINLOG_IN_INNODB,
        adds: &[C[0], ("innodb_flush_log_at_trx_commit", "1"), ("sync_binlog", "1")],
        variant: false,
    },
    Named {
        name: "z12c_sync_dw0",
        about: "as z12c_sync without the doublewrite buffer, for 12.3 and later",
        span: BINLOG_IN_INNODB,
        adds: &[
            C[0],
            ("innodb_doublewrite", "OFF"),
            ("innodb_flush_log_at_trx_commit", "1"),
            ("sync_binlog", "1"),
        ],
        variant: false,
    },
];

/// The configuration that a release gets when none is named.
pub(crate) fn default(_version: Version) -> &'static str {
    "z12b"
}

/// Nothing listens but the socket.
pub(crate) const CLOSED: &[Line] = &[
    // Otherwise 11.4 and later make a key at every start.
    Line::fixed(Span::ALL, "skip_ssl", ""),
    Line::fixed(Span::ALL, "skip_networking", ""),
    Line::fixed(Span::ALL, "secure_file_priv", ""),
];

/// Settings common to all named configurations, as far as a release has them.
pub(crate) fn common(sizing: &Sizing) -> Vec<Line> {
    let mut lines = sized(sizing);
    lines.extend_from_slice(FIXED);
    lines.sort_by_key(|line| line.key);
    lines
}

fn sized(sizing: &Sizing) -> Vec<Line> {
    let shared = shared_bytes(sizing, &RESERVE);
    let redo = redo_bytes(sizing, &RESERVE);
    let pieces = if shared >= GIB { 4 } else { 1 };
    // The reference's 32 are for its 8 processors; each takes 10 MB of disk.
    let undo = (sizing.cpus * 4).clamp(3, 32);
    vec![
        Line::sized(Span::ALL.until(10, 5), "innodb_buffer_pool_instances", pieces),
        Line::sized(Span::ALL, "innodb_buffer_pool_size", shared),
        // One file in the reference; 10.1 wants two.
        Line::sized(Span::ALL.until(10, 2), "innodb_log_file_size", redo / 2),
        Line::sized(Span::from(10, 2, 0), "innodb_log_file_size", redo),
        Line::sized(Span::from(10, 2, 0).until(10, 5), "innodb_page_cleaners", pieces),
        Line::sized(Span::ALL, "innodb_undo_tablespaces", undo),
        Line::sized(Span::ALL, "max_connections", sizing.connections + 20),
        // Drift: none kept in old releases. A thread that is made anew is another one to pin and to count.
        Line::sized(Span::ALL, "thread_cache_size", sizing.connections + 20),
    ]
}

/// Where the reference says nothing: *drift*, a default that changed between releases, or that differs from MySQL's,
/// and costs time.
const FIXED: &[Line] = &[
    Line::fixed(Span::ALL, "binlog_format", "ROW"),
    // Drift: latin1 until 11.5, utf8mb4 since.
    Line::fixed(Span::ALL, "character_set_server", "latin1"),
    Line::fixed(Span::ALL, "collation_server", "latin1_swedish_ci"),
    Line::fixed(Span::ALL, "default_time_zone", "+00:00"),
    Line::fixed(Span::ALL, "event_scheduler", "OFF"),
    Line::fixed(Span::ALL, "general_log", "OFF"),
    Line::fixed(Span::ALL, "innodb_adaptive_hash_index", "OFF"),
    // As for MySQL, whose default it is.
    Line::fixed(Span::ALL, "innodb_autoinc_lock_mode", "2"),
    Line::fixed(Span::ALL, "innodb_buffer_pool_dump_at_shutdown", "OFF"),
    Line::fixed(Span::ALL, "innodb_buffer_pool_load_at_startup", "OFF"),
    // Gone in 11.0.
    Line::fixed(Span::ALL.until(11, 0), "innodb_change_buffering", "none"),
    // `full_crc32` by default since 10.5, which another page format goes with; 10.4 brought it.
    Line::fixed(Span::ALL.until(10, 5), "innodb_checksum_algorithm", "crc32"),
    Line::fixed(Span::from(11, 0, 0), "innodb_data_file_buffering", "OFF"),
    Line::fixed(Span::from(11, 0, 0), "innodb_data_file_write_through", "OFF"),
    Line::fixed(Span::ALL, "innodb_doublewrite", "ON"),
    Line::fixed(Span::ALL.until(10, 3), "innodb_file_format", "Barracuda"),
    Line::fixed(Span::ALL.until(11, 0), "innodb_file_per_table", "ON"),
    Line::fixed(Span::ALL, "innodb_flush_log_at_trx_commit", "2"),
    // Later the four settings of buffering stand for it.
    Line::fixed(Span::ALL.until(11, 0), "innodb_flush_method", "O_DIRECT_NO_FSYNC"),
    Line::fixed(Span::ALL, "innodb_flush_neighbors", "0"),
    Line::fixed(Span::ALL, "innodb_io_capacity", "10000"),
    Line::fixed(Span::ALL, "innodb_io_capacity_max", "20000"),
    Line::fixed(Span::ALL, "innodb_log_buffer_size", "64M"),
    // The log goes through the kernel's cache, as it does by O_DIRECT_NO_FSYNC.
    Line::fixed(Span::from(10, 8, 4), "innodb_log_file_buffering", "ON"),
    Line::fixed(Span::from(11, 0, 0), "innodb_log_file_write_through", "OFF"),
    Line::fixed(Span::ALL.until(10, 2), "innodb_log_files_in_group", "2"),
    Line::fixed(Span::from(10, 2, 0).until(10, 5), "innodb_log_files_in_group", "1"),
    Line::fixed(Span::ALL, "innodb_lru_scan_depth", "5000"),
    Line::fixed(Span::ALL, "innodb_max_dirty_pages_pct", "90"),
    Line::fixed(Span::ALL, "innodb_max_dirty_pages_pct_lwm", "80"),
    Line::fixed(Span::ALL, "innodb_max_purge_lag", "500000"),
    Line::fixed(Span::ALL, "innodb_purge_threads", "4"),
    // Drift: came turned off in updates of 10.6 to 11.4, and was turned on in 11.6.
    Line::fixed(Span::from(10, 6, 18).until(10, 7), "innodb_snapshot_isolation", "OFF"),
    Line::fixed(Span::from(10, 11, 8).until(11, 0), "innodb_snapshot_isolation", "OFF"),
    Line::fixed(Span::from(11, 4, 2), "innodb_snapshot_isolation", "OFF"),
    Line::fixed(Span::ALL, "key_buffer_size", "8M"),
    Line::fixed(Span::ALL, "local_infile", "ON"),
    Line::fixed(Span::ALL, "log_bin", "binlog"),
    Line::fixed(Span::ALL, "max_allowed_packet", "64M"),
    Line::fixed(Span::ALL, "max_heap_table_size", "16M"),
    // As for MySQL, though MariaDB has it off by itself. `loose_`, since a build can leave the Performance Schema out.
    Line::fixed(Span::ALL, "loose_performance_schema", "ON"),
    // What it reserves beforehand in 10.4 and before; later releases reserve as they need.
    Line::fixed(Span::ALL.until(10, 5), "loose_performance_schema_digests_size", "200"),
    Line::fixed(Span::ALL.until(10, 5), "loose_performance_schema_max_file_instances", "500"),
    Line::fixed(Span::ALL.until(10, 5), "loose_performance_schema_max_table_handles", "1000"),
    Line::fixed(Span::ALL.until(10, 5), "loose_performance_schema_max_table_instances", "500"),
    Line::fixed(Span::ALL, "query_cache_size", "0"),
    Line::fixed(Span::ALL, "query_cache_type", "OFF"),
    Line::fixed(Span::ALL, "server_id", "1"),
    Line::fixed(Span::ALL, "slow_query_log", "OFF"),
    Line::fixed(Span::ALL, "sql_mode", "STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION"),
    Line::fixed(Span::ALL, "sync_binlog", "0"),
    Line::fixed(Span::ALL, "table_definition_cache", "1000"),
    Line::fixed(Span::ALL, "table_open_cache", "2000"),
    Line::fixed(Span::from(10, 2, 2), "table_open_cache_instances", "4"),
    Line::fixed(Span::ALL, "tmp_table_size", "16M"),
];

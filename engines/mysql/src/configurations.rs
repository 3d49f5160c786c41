//! The reference's configurations for MySQL, sized to the memory of a server here. Settings whose default
//! changed between releases are set explicitly, because a changed default would look like a regression.
//!
//! The reference's host has 8 processors and 32 GB. Each departure has its reason beside it.

use humdrum_contract::Sizing;
use humdrum_engine_kit::{Line, Named, Reserve, Span, Version};
use humdrum_engine_mysql_family::{POOL_LEAST_BYTES, redo_bytes, shared_bytes};

const GIB: u64 = 1 << 30;

/// For 9.7, which needs most. With 40 MiB of data it was 712 MiB large in a pool of 1536 MiB, and 845 in one of 3072 MiB
/// (`both-modes-mysql` and `mysql-today` in the records), and so some 580 MiB without a pool. The data and some 60 MiB of
/// the program, which does not count for the limit, are not the server's. 240 MiB are the Performance Schema's
/// (`mysql-performance-schema`), 64 the log buffer. What is more here than 480 MiB is for the kernel's own memory and for
/// the page cache of the logs.
pub(crate) const RESERVE: Reserve =
    Reserve { server_bytes: 512 << 20, connection_bytes: 2 << 20, cache_least_bytes: POOL_LEAST_BYTES };

/// 9.0, which has configurations of its own.
const NINE: Span = Span::from(9, 0, 0);

/// Alphabetical.
pub(crate) const NAMED: [Named; 9] = [
    Named {
        name: "z12a",
        about: "the reference's settings, for 5.6 to 8.4 (their default), and for 5.5 as far as it has them; no sync on commit",
        span: Span::ALL.until(9, 0),
        adds: &[],
        variant: false,
    },
    Named {
        name: "z12a_dw0",
        about: "as z12a without the doublewrite buffer: what torn-page safety costs, for 5.5 to 8.4",
        span: Span::ALL.until(9, 0),
        adds: &[("innodb_doublewrite", "0")],
        variant: false,
    },
    Named {
        name: "z12a_sync",
        about: "as z12a, redo and binary log synced at every commit, for 5.5 to 8.4",
        span: Span::ALL.until(9, 0),
        adds: &[("innodb_flush_log_at_trx_commit", "1"), ("sync_binlog", "1")],
        variant: false,
    },
    Named {
        name: "z12a_sync_dw0",
        about: "as z12a_sync without the doublewrite buffer, for 5.5 to 8.4",
        span: Span::ALL.until(9, 0),
        adds: &[("innodb_doublewrite", "0"), ("innodb_flush_log_at_trx_commit", "1"), ("sync_binlog", "1")],
        variant: false,
    },
    Named {
        name: "z13a",
        about: "as z12a with gtid_mode pinned OFF, which is ON by default since 9.5; for 9.x (their default)",
        span: NINE,
        adds: &[],
        variant: false,
    },
    Named {
        name: "z13a_dw0",
        about: "as z13a without the doublewrite buffer, for 9.x",
        span: NINE,
        adds: &[("innodb_doublewrite", "0")],
        variant: false,
    },
    Named {
        name: "z13a_gtid",
        about: "as z13a with gtid_mode=ON, as 9.5 and later are by themselves; for 9.x",
        span: NINE,
        adds: &[("gtid_mode", "ON"), ("enforce_gtid_consistency", "ON")],
        variant: false,
    },
    Named {
        name: "z13a_hg",
        about: "as z13a with the hypergraph optimizer, for 9.7 and later (releases before have it in debug builds alone)",
        span: Span::from(9, 7, 0),
        adds: &[("optimizer_switch", "hypergraph_optimizer=on")],
        variant: false,
    },
    Named {
        name: "z13a_sync",
        about: "as z13a, redo and binary log synced at every commit, for 9.x",
        span: NINE,
        adds: &[("innodb_flush_log_at_trx_commit", "1"), ("sync_binlog", "1")],
        variant: false,
    },
];

/// The configuration that a release gets when none is named.
pub(crate) fn default(version: Version) -> &'static str {
    if NINE.holds(version) { "z13a" } else { "z12a" }
}

/// Nothing listens but the socket.
pub(crate) const CLOSED: &[Line] = &[
    // The X Plugin would listen on all addresses; `loose_`, since builds from sources leave it out.
    Line::fixed(Span::from(8, 0, 11), "loose_mysqlx", "OFF"),
    Line::fixed(Span::ALL, "skip_networking", ""),
    Line::fixed(Span::from(5, 5, 53), "secure_file_priv", ""),
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
    // Pieces of less than a gigabyte altogether are not made by later releases, and so by none.
    let pieces = if shared >= GIB { 4 } else { 1 };
    vec![
        Line::sized(Span::ALL, "innodb_buffer_pool_instances", pieces),
        Line::sized(Span::ALL, "innodb_buffer_pool_size", shared),
        Line::sized(Span(Version(0, 0, 0), Version(8, 0, 30)), "innodb_log_file_size", redo / 2),
        Line::sized(Span::from(5, 7, 4), "innodb_page_cleaners", pieces),
        Line::sized(Span::from(8, 0, 30), "innodb_redo_log_capacity", redo),
        Line::sized(Span::ALL, "max_connections", sizing.connections + 20),
        // Drift: none kept in old releases. A thread that is made anew is another one to pin and to count.
        Line::sized(Span::ALL, "thread_cache_size", sizing.connections + 20),
    ]
}

/// Where the reference says nothing: *drift*, a default that changed between releases and costs time.
const FIXED: &[Line] = &[
    // No connection here is encrypted, and keys take seconds to make. 5.7's builds have none.
    Line::fixed(Span::from(8, 0, 0), "auto_generate_certs", "OFF"),
    Line::fixed(Span::from(8, 0, 0), "caching_sha2_password_auto_generate_rsa_keys", "OFF"),
    Line::fixed(Span::from(8, 0, 0), "sha256_password_auto_generate_rsa_keys", "OFF"),
    Line::fixed(Span::ALL, "binlog_format", "ROW"),
    // Drift: latin1 until 5.7, utf8mb4 since.
    Line::fixed(Span::ALL, "character_set_server", "latin1"),
    Line::fixed(Span::ALL, "collation_server", "latin1_swedish_ci"),
    Line::fixed(Span::from(8, 0, 0).until(8, 4), "default_authentication_plugin", "mysql_native_password"),
    // The reference's too: 9.5 turned both on.
    Line::fixed(Span::from(5, 6, 5), "enforce_gtid_consistency", "OFF"),
    Line::fixed(Span::from(5, 6, 5), "gtid_mode", "OFF"),
    Line::fixed(Span::ALL, "innodb_adaptive_hash_index", "OFF"),
    // Drift: 1 until 5.7, 2 since.
    Line::fixed(Span::ALL, "innodb_autoinc_lock_mode", "2"),
    Line::fixed(Span::from(5, 6, 3), "innodb_buffer_pool_dump_at_shutdown", "OFF"),
    Line::fixed(Span::from(5, 6, 3), "innodb_buffer_pool_load_at_startup", "OFF"),
    // Drift: all until 8.0, none since 8.4.
    Line::fixed(Span::ALL, "innodb_change_buffering", "all"),
    Line::fixed(Span::from(5, 6, 3), "innodb_checksum_algorithm", "crc32"),
    // 5.5 takes no words for these two, and goes on without them.
    Line::fixed(Span::ALL, "innodb_doublewrite", "1"),
    Line::fixed(Span::from(8, 0, 20), "innodb_doublewrite_pages", "128"),
    Line::fixed(Span::ALL.until(5, 7), "innodb_file_format", "Barracuda"),
    Line::fixed(Span::ALL, "innodb_file_per_table", "1"),
    Line::fixed(Span::ALL, "innodb_flush_log_at_trx_commit", "2"),
    Line::fixed(Span::ALL.until(5, 6), "innodb_flush_method", "O_DIRECT"),
    Line::fixed(Span::from(5, 6, 7), "innodb_flush_method", "O_DIRECT_NO_FSYNC"),
    // Drift: neighbours are flushed along by default until 5.7.
    Line::fixed(Span::from(5, 6, 3), "innodb_flush_neighbors", "0"),
    Line::fixed(Span::from(8, 0, 18), "innodb_idle_flush_pct", "1"),
    Line::fixed(Span::ALL, "innodb_io_capacity", "10000"),
    Line::fixed(Span::from(5, 6, 6), "innodb_io_capacity_max", "20000"),
    // Drift: 8, 16 and 64 MB.
    Line::fixed(Span::ALL, "innodb_log_buffer_size", "64M"),
    Line::fixed(Span(Version(0, 0, 0), Version(8, 0, 30)), "innodb_log_files_in_group", "2"),
    Line::fixed(Span::from(8, 0, 22), "innodb_log_writer_threads", "OFF"),
    Line::fixed(Span::ALL, "innodb_max_dirty_pages_pct", "90"),
    Line::fixed(Span::from(5, 6, 6), "innodb_max_dirty_pages_pct_lwm", "80"),
    Line::fixed(Span::ALL, "innodb_max_purge_lag", "500000"),
    // 5.5 has one thread for it at most.
    Line::fixed(Span::ALL.until(5, 6), "innodb_purge_threads", "1"),
    Line::fixed(Span::from(5, 6, 0), "innodb_purge_threads", "4"),
    Line::fixed(Span::from(8, 0, 26), "innodb_use_fdatasync", "ON"),
    // The fastest way to load a table; 8.0 turned it off.
    Line::fixed(Span::ALL, "local_infile", "ON"),
    Line::fixed(Span::ALL, "log_bin", "binlog"),
    // Drift: 1, 4 and 64 MB.
    Line::fixed(Span::ALL, "max_allowed_packet", "64M"),
    // The reference's: 8.4 turned it off.
    Line::fixed(Span::from(8, 4, 0).until(9, 0), "mysql_native_password", "ON"),
    // On for every release: the reference has none in 5.6 and has it on since, a tenth of reads between them.
    Line::fixed(Span::ALL, "performance_schema", "ON"),
    // What it reserves beforehand in 5.6 and before; later releases reserve as they need.
    Line::fixed(Span::ALL.until(5, 7), "performance_schema_max_table_handles", "1000"),
    Line::fixed(Span::ALL.until(5, 7), "performance_schema_max_table_instances", "500"),
    Line::fixed(Span::ALL.until(5, 7), "performance_schema_max_file_instances", "500"),
    Line::fixed(Span::from(5, 6, 3).until(5, 7), "performance_schema_digests_size", "1000"),
    // Drift: on in 5.5, gone in 8.0.
    Line::fixed(Span::ALL.until(8, 0), "query_cache_size", "0"),
    Line::fixed(Span::ALL.until(8, 0), "query_cache_type", "OFF"),
    Line::fixed(Span::ALL, "server_id", "1"),
    Line::fixed(Span::ALL, "slow_query_log", "OFF"),
    // Drift: none until 5.6, more and more since.
    Line::fixed(Span::ALL, "sql_mode", "STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION"),
    Line::fixed(Span::ALL, "sync_binlog", "0"),
    // Drift: 400 tables and 400 definitions in 5.5, 4000 and 2000 now.
    Line::fixed(Span::ALL, "table_definition_cache", "1000"),
    Line::fixed(Span::ALL, "table_open_cache", "2000"),
    Line::fixed(Span::from(5, 6, 6), "table_open_cache_instances", "16"),
    // Drift: the host's.
    Line::fixed(Span::ALL, "default_time_zone", "+00:00"),
    Line::fixed(Span::ALL, "key_buffer_size", "8M"),
    Line::fixed(Span::ALL, "general_log", "OFF"),
    Line::fixed(Span::ALL, "event_scheduler", "OFF"),
    Line::fixed(Span::ALL, "max_heap_table_size", "16M"),
    Line::fixed(Span::ALL, "tmp_table_size", "16M"),
];

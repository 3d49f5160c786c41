//! Server settings, as similar as possible across releases.
//!
//! The named configurations follow the reference's for Postgres (an 8-core, 32 GB host), sized to the memory
//! of a server here. A default that changed between releases would look like a regression, so defaults that
//! changed and matter are set for all releases: checksums (at initdb), io_method, I/O concurrency, huge
//! pages, replication.

use humdrum_contract::Sizing;
use humdrum_engine_kit::{CLIENT_CONNECTION, Line, Named, Options, Reserve, Span, Version};
use humdrum_model::Fault;

const MIB: u64 = 1 << 20;

/// With 256M and a pool of 110 MiB, the server and nine connections left the page cache some 60 MiB (docs/memory.md): they need
/// about 85.
pub(crate) const RESERVE: Reserve =
    Reserve { server_bytes: 60 * MIB, connection_bytes: 3 * MIB, cache_least_bytes: 32 * MIB };

/// What the lab sets by itself and a user must not: where the server is and how it is reached.
const OURS: [&str; 16] = [
    "config_file",
    "data_directory",
    "external_pid_file",
    "hba_file",
    "ident_file",
    "include",
    "include_dir",
    "include_if_exists",
    "listen_addresses",
    "log_destination",
    "logging_collector",
    "port",
    "ssl",
    "unix_socket_directories",
    "unix_socket_group",
    "unix_socket_permissions",
];

/// Alphabetical.
const NAMED: [Named; 10] = [
    Named {
        name: "dio",
        about: "debug_io_direct=data: pages are read past the kernel's cache, for 16 and later, over another configuration",
        span: Span::from(16, 0, 0),
        adds: &[("debug_io_direct", "data")],
        variant: true,
    },
    Named {
        name: "fpw0",
        about: "no full_page_writes: what torn-page safety costs; for all releases, over another configuration",
        span: Span::ALL,
        adds: &[("full_page_writes", "off")],
        variant: true,
    },
    Named {
        name: "wallz4",
        about: "wal_compression=lz4, for 15 and later in builds with lz4 (Debian's), over another configuration",
        span: Span::from(15, 0, 0),
        adds: &[("wal_compression", "lz4")],
        variant: true,
    },
    Named {
        name: "x10a",
        about: "the reference's settings, for 9.6 to 17 (their default)",
        span: Span::ALL.until(18, 0),
        adds: &[],
        variant: false,
    },
    Named {
        name: "x10b",
        about: "as x10a with io_method=sync, for 18 and later (their default: like x10a)",
        span: Span::from(18, 0, 0),
        adds: &[("io_method", "sync")],
        variant: false,
    },
    Named {
        name: "x10c",
        about: "as x10a with io_method=worker, for 18 and later (what 18 does by itself)",
        span: Span::from(18, 0, 0),
        adds: &[("io_method", "worker")],
        variant: false,
    },
    Named {
        name: "x10cw16",
        about: "as x10c with 16 I/O workers, for 18 and later",
        span: Span::from(18, 0, 0),
        adds: &[("io_method", "worker"), ("io_workers", "16")],
        variant: false,
    },
    Named {
        name: "x10cw32",
        about: "as x10c with 32 I/O workers, for 18 and later",
        span: Span::from(18, 0, 0),
        adds: &[("io_method", "worker"), ("io_workers", "32")],
        variant: false,
    },
    Named {
        name: "x10cw8",
        about: "as x10c with 8 I/O workers, for 18 and later",
        span: Span::from(18, 0, 0),
        adds: &[("io_method", "worker"), ("io_workers", "8")],
        variant: false,
    },
    Named {
        name: "x10d",
        about: "as x10a with io_method=io_uring, for 18 and later in builds that have it (Debian's)",
        span: Span::from(18, 0, 0),
        adds: &[("io_method", "io_uring")],
        variant: false,
    },
];

/// Settings as the kit asks for them.
pub(crate) const OPTIONS: Options = Options {
    ours: &OURS,
    client: &[CLIENT_CONNECTION],
    punctuation: &['_', '.'],
    prefix: "",
    plain: str::to_owned,
    names_like: "work_mem or auto_explain.log_min_duration",
    named: &NAMED,
    default,
    common,
    unknown: |_, names| format!("known are {names}; an option is given as key=value"),
    unfit,
};

fn default(version: Version) -> &'static str {
    if version >= Version(18, 0, 0) { "x10b" } else { "x10a" }
}

fn unfit(_engine: &str, named: &Named, version: Version, _fitting: &str) -> Fault {
    Fault::usage(format!("the configuration {} is not for release {}", named.name, version.0))
        .hint(format!("use {}, its default", default(version)))
}

/// MiB of the shared buffers: the reference gives them 23 of 32 GB; the rest is for sessions and the kernel. A memory limit
/// leaves them what the server does not need.
pub(crate) fn shared_mib(sizing: &Sizing) -> u64 {
    RESERVE.cache(sizing.memory_bytes.min(32 << 30) * 23 / 32, sizing) / MIB
}

/// Settings common to all named configurations, and the first release that has each.
fn common(sizing: &Sizing) -> Vec<Line> {
    let shared_mib = shared_mib(sizing);
    // 40 and 20 GB of WAL beside 32 GB of memory; enough for a load without a checkpoint in its middle.
    let wal_mib = (sizing.memory_bytes * 40 / 32 / MIB).clamp(512, 40 * 1024);
    let work_mib = (sizing.memory_bytes / 128 / MIB).clamp(16, 256);
    // Otherwise building an index takes more than a limit below 256M leaves beside the buffers.
    let building_mib = (work_mib * 4).min(1024).min(sizing.limit_bytes.map_or(1024, |limit| limit / 4 / MIB));
    let lines: [(u32, &'static str, String); 35] = [
        (9, "autovacuum_max_workers", "4".into()),
        (9, "autovacuum_naptime", "10s".into()),
        (9, "autovacuum_vacuum_cost_limit", "4000".into()),
        (13, "autovacuum_vacuum_insert_scale_factor", "0.05".into()),
        (9, "autovacuum_vacuum_scale_factor", "0.05".into()),
        (9, "checkpoint_completion_target", "0.9".into()),
        (9, "checkpoint_timeout", "1800s".into()),
        // 1 until 17 and 16 since; before 13 the same number means another depth, except for 1.
        (9, "effective_io_concurrency", "1".into()),
        (9, "fsync", "on".into()),
        (9, "full_page_writes", "on".into()),
        // Otherwise the first servers to start take what the host has reserved, and the others go without.
        (9, "huge_pages", "off".into()),
        (11, "jit", "off".into()),
        (9, "lc_messages", "C".into()),
        (9, "log_timezone", "UTC".into()),
        (13, "maintenance_io_concurrency", "10".into()),
        (9, "maintenance_work_mem", format!("{building_mib}MB")),
        (9, "max_connections", (sizing.connections + 20).to_string()),
        (11, "max_parallel_maintenance_workers", "0".into()),
        (10, "max_parallel_workers", "0".into()),
        (9, "max_parallel_workers_per_gather", "0".into()),
        (9, "max_wal_senders", "0".into()),
        (9, "max_wal_size", format!("{wal_mib}MB")),
        (9, "min_wal_size", format!("{}MB", wal_mib / 2)),
        (9, "shared_buffers", format!("{shared_mib}MB")),
        (9, "synchronous_commit", "off".into()),
        (9, "timezone", "UTC".into()),
        (9, "update_process_title", "on".into()),
        (9, "wal_compression", "off".into()),
        (9, "wal_level", "replica".into()),
        (9, "work_mem", format!("{work_mib}MB")),
        // What follows keeps the log alike: 15 began to log checkpoints and long autovacuums by default.
        (9, "log_autovacuum_min_duration", "-1".into()),
        (9, "log_checkpoints", "off".into()),
        (9, "log_connections", "off".into()),
        (9, "log_disconnections", "off".into()),
        (9, "log_line_prefix", "%m [%p] ".into()),
    ];
    // 9 stands for 9.6, the oldest.
    lines.into_iter().map(|(since, key, value)| Line::sized(Span::from(since, 0, 0), key, value)).collect()
}

#[cfg(test)]
mod tests {
    use humdrum_contract::Outcome;
    use humdrum_engine_kit::resolve;
    use humdrum_model::Setting;

    use super::*;

    const GIB: u64 = 1 << 30;
    const SIZING: Sizing = Sizing { memory_bytes: GIB, limit_bytes: None, cpus: 2, connections: 4 };

    /// For a release by its first number.
    fn resolved(settings: &[Setting], major: u32, sizing: &Sizing) -> Outcome<Vec<(String, String)>> {
        resolve("postgres", &OPTIONS, settings, Version(major, 0, 0), sizing)
    }

    fn value(key: &str, value: &str) -> Setting {
        Setting::Value { key: key.into(), value: value.into() }
    }

    fn get<'a>(given: &'a [(String, String)], key: &str) -> Option<&'a str> {
        given.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    #[test]
    fn defaults_are_alike_across_releases() {
        let old = resolved(&[], 12, &SIZING).expect("12");
        let new = resolved(&[], 18, &SIZING).expect("18");
        assert_eq!((get(&old, "io_method"), get(&new, "io_method")), (None, Some("sync")));
        assert_eq!(get(&old, "autovacuum_vacuum_insert_scale_factor"), None);
        assert!(old.iter().all(|(key, value)| get(&new, key) == Some(value)));
        assert_eq!(get(&new, "shared_buffers"), Some("736MB"));
    }

    #[test]
    fn the_reference_host_gets_the_reference_sizes() {
        let sizing = Sizing { memory_bytes: 32 * GIB, ..SIZING };
        assert_eq!(shared_mib(&sizing), 23 * 1024);
        let given = resolved(&[], 17, &sizing).expect("17");
        let sizes =
            ["shared_buffers", "max_wal_size", "min_wal_size", "work_mem"].map(|key| get(&given, key));
        assert_eq!(sizes, [Some("23552MB"), Some("40960MB"), Some("20480MB"), Some("256MB")]);
    }

    /// A server is given six tenths of its limit to share.
    #[test]
    fn a_limit_leaves_the_buffers_what_the_server_does_not_need() {
        let limited = |limit: u64, connections| {
            let (memory_bytes, limit_bytes) = (limit * MIB * 6 / 10, Some(limit * MIB));
            Sizing { memory_bytes, limit_bytes, cpus: 2, connections }
        };
        let mib = |(limit, connections)| shared_mib(&limited(limit, connections));
        assert_eq!([(4096, 9), (256, 9), (256, 24)].map(mib), [1766, 110, 110], "their share");
        assert_eq!([(128, 9), (256, 40), (119, 9)].map(mib), [41, 76, 32], "what is left");
        let given = resolved(&[], 17, &limited(128, 9)).expect("17");
        assert_eq!(get(&given, "maintenance_work_mem"), Some("32MB"));
    }

    #[test]
    fn the_rightmost_wins() {
        let settings = [
            value("work_mem", "1MB"),
            Setting::Named("x10c".into()),
            value("WORK_MEM", "2MB"),
            value("a.b", ""),
        ];
        let given = resolved(&settings, 18, &SIZING).expect("18");
        assert_eq!(get(&given, "work_mem"), Some("2MB"));
        assert_eq!(get(&given, "io_method"), Some("worker"));
        assert_eq!(given.iter().filter(|(key, _)| key.eq_ignore_ascii_case("work_mem")).count(), 1);
    }

    #[test]
    fn variants_come_over_the_default() {
        let named = |names: &[&str]| -> Vec<Setting> {
            names.iter().map(|name| Setting::Named((*name).into())).collect()
        };
        let given = resolved(&named(&["fpw0", "wallz4"]), 18, &SIZING).expect("18");
        let keys = ["full_page_writes", "wal_compression", "io_method"];
        assert_eq!(keys.map(|key| get(&given, key)), [Some("off"), Some("lz4"), Some("sync")]);
        let given = resolved(&named(&["x10d", "fpw0"]), 18, &SIZING).expect("18");
        assert_eq!(keys.map(|key| get(&given, key)), [Some("off"), Some("off"), Some("io_uring")]);
        let given = resolved(&named(&["x10cw16", "dio"]), 18, &SIZING).expect("18");
        let keys = ["io_method", "io_workers", "debug_io_direct"];
        assert_eq!(keys.map(|key| get(&given, key)), [Some("worker"), Some("16"), Some("data")]);
    }

    #[test]
    fn bad_settings_say_what_to_type() {
        let hint = |setting: Setting, major| {
            resolved(&[setting], major, &SIZING).expect_err("refused").hint.expect("hint")
        };
        assert!(hint(Setting::Named("x10z".into()), 17).contains("x10a, x10b, x10c"));
        assert!(hint(Setting::Named("x10b".into()), 17).contains("use x10a"));
        assert!(hint(Setting::Named("x10a".into()), 18).contains("use x10b"));
        assert!(hint(value("work mem", "1"), 17).contains("names are like"));
        assert!(hint(value("Port", "1"), 17).contains("leave"));
        assert!(hint(value("work_mem", "1\nport=1"), 17).contains("one line"));
        assert!(OURS.is_sorted());
        assert!(NAMED.is_sorted_by_key(|named| named.name));
    }
}

//! Options: the reference's four workloads as named configurations, and the user's own over them, all in the
//! library's language (`name=value`, as in an OPTIONS file).
//!
//! The reference's sizes of memtable, files and levels are the same at every scale, because smaller data
//! would not form a tree. `+sixteenth` divides them for small runs. Only the block cache is a share of the
//! data. A memory limit bounds it and the memtables (`memory.rs`).

mod memory;
mod names;

use humdrum_contract::{Configuration, Outcome, Sizing};
use humdrum_model::{Fault, Setting};

pub(crate) use memory::{CACHE_LEAST_BYTES, least_memory_bytes};
use names::{DEFAULT, EXTRA, NAMED, Named, OURS, TABLE};

/// Levels that stay uncompressed: what is rewritten soon.
const PLAIN_LEVELS: u64 = 3;

/// All options of a subject, in order; each name once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chosen(pub(crate) Vec<(String, String)>);

/// Named configurations, alphabetical.
pub(crate) fn list() -> Vec<Configuration> {
    NAMED.iter().map(|named| Configuration { name: named.name.into(), about: named.about.into() }).collect()
}

/// Checks a subject's settings: names of configurations, and form of options. Whether the release knows an option is
/// seen when it is started.
///
/// # Errors
/// Usage.
pub(crate) fn check(settings: &[Setting]) -> Outcome<()> {
    settings.iter().try_for_each(|setting| match setting {
        Setting::Named(name) => find(name).map(drop),
        Setting::Value { key, value } => check_value(key, value),
    })
}

/// All options: the reference's, the named configurations', the user's; a later one wins.
///
/// # Errors
/// As `check`.
pub(crate) fn resolve(settings: &[Setting], sizing: &Sizing) -> Outcome<Chosen> {
    check(settings)?;
    let mut chosen = Chosen(common(sizing));
    for setting in settings {
        match setting {
            Setting::Named(name) => find(name)?.adds.iter().for_each(|(key, value)| chosen.set(key, value)),
            Setting::Value { key, value } => chosen.set(key, value),
        }
    }
    chosen.compress_lower_levels();
    chosen.bound(settings, sizing);
    Ok(chosen)
}

impl Chosen {
    fn set(&mut self, key: &str, value: &str) {
        self.0.retain(|(known, _)| known != key);
        self.0.push((key.to_owned(), in_librarys_words(key, value)));
    }

    /// The value of an option; empty where it is not chosen.
    pub(crate) fn get(&self, key: &str) -> &str {
        self.0.iter().find(|(known, _)| known == key).map_or("", |(_, value)| value)
    }

    fn number(&self, key: &str) -> u64 {
        self.get(key).parse().unwrap_or(0)
    }

    /// The reference's `min_level_to_compress=3`, unless the levels' compression was given.
    fn compress_lower_levels(&mut self) {
        let compression = self.get("compression").to_owned();
        if compression == "kNoCompression" || !self.get("compression_per_level").is_empty() {
            return;
        }
        let of_level = |level| if level < PLAIN_LEVELS { "kNoCompression" } else { &compression };
        let levels: Vec<&str> = (0..self.number("num_levels").max(1)).map(of_level).collect();
        let levels = levels.join(":");
        self.0.push(("compression_per_level".into(), levels));
    }

    /// In the library's language. `bulk`: files go down the tree as they are, so they are compressed at once, and
    /// the memtable for that takes one writer.
    pub(crate) fn text(&self, bulk: bool) -> String {
        let is_table = |key: &str| TABLE.contains(&key);
        let left_out = |key: &str| EXTRA.contains(&key) || (bulk && key == "compression_per_level");
        let mut parts = vec!["create_if_missing=true".to_owned(), "info_log_level=INFO_LEVEL".to_owned()];
        let own = self.0.iter().filter(|(key, _)| !is_table(key) && !left_out(key));
        parts.extend(own.map(|(key, value)| format!("{key}={value}")));
        if bulk {
            parts.push("allow_concurrent_memtable_write=false".to_owned());
        }
        let table = self.0.iter().filter(|(key, _)| is_table(key));
        let table: Vec<String> = table.map(|(key, value)| format!("{key}={value}")).collect();
        parts.push(format!("block_based_table_factory={{{}}}", table.join(";")));
        parts.join(";")
    }

    /// (bytes now, per cent of the data once that is known; 0 to leave it).
    pub(crate) fn cache(&self) -> (u64, u64) {
        (self.number("block_cache_bytes"), self.number("block_cache_percent"))
    }
}

fn find(name: &str) -> Outcome<&'static Named> {
    NAMED.iter().find(|named| named.name == name).ok_or_else(|| {
        let names: Vec<&str> = NAMED.iter().map(|named| named.name).collect();
        Fault::usage(format!("rocksdb has no configuration `{name}`"))
            .hint(format!("known are {}; or type an option: +compression=lz4", names.join(", ")))
    })
}

/// What data is compressed by, with these settings.
///
/// # Errors
/// As `check`.
pub(crate) fn compression(settings: &[Setting]) -> Outcome<String> {
    let any = Sizing { memory_bytes: 1 << 30, limit_bytes: None, cpus: 1, connections: 1 };
    Ok(resolve(settings, &any)?.get("compression").to_owned())
}

/// Refuses settings of these names.
///
/// # Errors
/// Usage, with why.
pub(crate) fn refuse(settings: &[Setting], names: &[&str], why: &str) -> Outcome<()> {
    let own = settings.iter().find_map(|setting| match setting {
        Setting::Value { key, .. } if names.contains(&key.as_str()) => Some(key),
        _ => None,
    });
    own.map_or(Ok(()), |key| Err(Fault::usage(format!("`{key}` {why}")).hint("leave it out")))
}

fn check_value(key: &str, value: &str) -> Outcome<()> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if key.is_empty() || !key.chars().all(plain) {
        return Err(Fault::usage(format!("`{key}` is not the name of an option"))
            .hint("names are like write_buffer_size, as in a RocksDB OPTIONS file"));
    }
    if OURS.contains(&key) {
        let hint = if key.ends_with("table_factory") {
            "type options of the table by themselves: +block_size=16384"
        } else {
            "leave it out: the lab sets it"
        };
        return Err(Fault::usage(format!("`{key}` is not for users to set")).hint(hint));
    }
    if value.contains(['\n', '\0']) || (value.contains(';') && !value.starts_with('{')) {
        return Err(Fault::usage(format!("the value of `{key}` holds what no option can"))
            .hint("one value, without `;`, or a group in braces: {a=b;c=d}"));
    }
    check_extra(key, value)
}

fn check_extra(key: &str, value: &str) -> Outcome<()> {
    let refuse = |hint: &str| {
        Err(Fault::usage(format!("`{key}={value}` cannot be used")).hint(format!("type {key}={hint}")))
    };
    match key {
        "block_cache" if !matches!(value, "lru" | "hyper_clock") => refuse("lru or hyper_clock"),
        "compiler" if value.is_empty() || value.starts_with('-') => refuse("gcc, clang or a path"),
        "lto" if !matches!(value, "on" | "off") => refuse("on or off"),
        "statistics" if !matches!(value, "on" | "off") => refuse("on or off"),
        "block_cache_bytes" | "block_cache_bytes_max" if value.parse::<u64>().is_err() => {
            refuse("a number of bytes")
        }
        "block_cache_percent" if !value.parse::<u64>().is_ok_and(|percent| percent <= 1000) => {
            refuse("a number of per cent of the data, or 0")
        }
        _ => Ok(()),
    }
}

/// `lz4` as `kLZ4Compression`; everything else as it is.
fn in_librarys_words(key: &str, value: &str) -> String {
    if !key.contains("compression") {
        return value.to_owned();
    }
    let word = |word: &str| match word {
        "none" => "kNoCompression".to_owned(),
        "snappy" => "kSnappyCompression".to_owned(),
        "zlib" => "kZlibCompression".to_owned(),
        "bzip2" => "kBZip2Compression".to_owned(),
        "lz4" => "kLZ4Compression".to_owned(),
        "lz4hc" => "kLZ4HCCompression".to_owned(),
        "zstd" => "kZSTD".to_owned(),
        other => other.to_owned(),
    };
    value.split(':').map(word).collect::<Vec<_>>().join(":")
}

/// The reference's options for all four workloads. What runs by the clock is off, so that no slice pays for it.
fn common(sizing: &Sizing) -> Vec<(String, String)> {
    const CACHE_SHARE_PERCENT: u64 = 60;
    // 4 on 8 processors and 12 on 48, as the reference has.
    let jobs = (sizing.cpus / 2).clamp(2, 12).to_string();
    let cache_bytes = (sizing.memory_bytes / 100 * CACHE_SHARE_PERCENT).to_string();
    let pairs = [
        ("block_cache", "lru"),
        ("block_cache_bytes", &*cache_bytes),
        ("block_cache_percent", "0"),
        ("block_size", "8192"),
        ("bytes_per_sync", "1048576"),
        ("cache_index_and_filter_blocks", "true"),
        ("cache_index_and_filter_blocks_with_high_priority", "true"),
        ("compaction_style", "kCompactionStyleLevel"),
        ("compression", "kNoCompression"),
        ("filter_policy", "bloomfilter:10:false"),
        ("level0_file_num_compaction_trigger", "4"),
        ("level0_slowdown_writes_trigger", "20"),
        ("level0_stop_writes_trigger", "30"),
        ("level_compaction_dynamic_level_bytes", "true"),
        ("max_background_jobs", &*jobs),
        ("max_bytes_for_level_base", "67108864"),
        ("max_bytes_for_level_multiplier", "8"),
        ("max_subcompactions", "1"),
        ("max_write_buffer_number", "8"),
        ("num_levels", "8"),
        ("pin_l0_filter_and_index_blocks_in_cache", "true"),
        ("statistics", "off"),
        ("stats_dump_period_sec", "0"),
        ("stats_persist_period_sec", "0"),
        ("target_file_size_base", "16777216"),
        ("write_buffer_size", "16777216"),
    ];
    debug_assert!(find(DEFAULT).is_ok_and(|named| named.adds.is_empty()), "the default adds nothing");
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZING: Sizing = Sizing { memory_bytes: 10 << 30, limit_bytes: None, cpus: 8, connections: 4 };

    fn value(key: &str, value: &str) -> Setting {
        Setting::Value { key: key.into(), value: value.into() }
    }

    fn named(name: &str) -> Setting {
        Setting::Named(name.into())
    }

    #[test]
    fn tables_are_alphabetical() {
        assert!(OURS.is_sorted() && TABLE.is_sorted() && EXTRA.is_sorted());
        assert!(NAMED.is_sorted_by_key(|named| named.name));
        assert!(common(&SIZING).is_sorted());
    }

    #[test]
    fn table_options_go_inside_and_ours_stay_out() {
        let text = resolve(&[value("format_version", "5")], &SIZING).expect("resolves").text(false);
        let (outside, inside) = text.split_once("block_based_table_factory={").expect("a group");
        assert!(inside.contains("block_size=8192;") && inside.ends_with("format_version=5}"));
        assert!(outside.contains("write_buffer_size=16777216;max_") || outside.contains("num_levels=8;"));
        assert!(!text.contains("block_cache=") && !text.contains("statistics=") && !text.contains("percent"));
    }

    #[test]
    fn compression_begins_at_the_fourth_level_and_at_once_in_bulk() {
        let chosen = resolve(&[named("iobuf")], &SIZING).expect("resolves");
        let levels = "compression_per_level=kNoCompression:kNoCompression:kNoCompression:kLZ4Compression:";
        assert!(chosen.text(false).contains(levels));
        assert!(!chosen.text(true).contains("compression_per_level"));
        assert!(chosen.text(true).contains("compression=kLZ4Compression;"));
        assert!(!resolve(&[], &SIZING).expect("resolves").text(false).contains("compression_per_level"));
        let given = [value("compression", "zstd"), value("compression_per_level", "none:lz4")];
        let chosen = resolve(&given, &SIZING).expect("resolves");
        assert_eq!(chosen.get("compression"), "kZSTD");
        assert_eq!(chosen.get("compression_per_level"), "kNoCompression:kLZ4Compression");
    }

    #[test]
    fn the_rightmost_wins_and_each_name_stands_once() {
        let settings = [named("iodir"), named("sixteenth"), value("write_buffer_size", "2M")];
        let chosen = resolve(&settings, &SIZING).expect("resolves");
        assert_eq!((chosen.get("write_buffer_size"), chosen.get("use_direct_reads")), ("2M", "true"));
        let mut names: Vec<&str> = chosen.0.iter().map(|(key, _)| &**key).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
        assert_eq!(chosen.cache(), (6_442_450_920, 12));
        assert_eq!(chosen.get("max_background_jobs"), "4");
    }

    #[test]
    fn bad_settings_say_what_to_type() {
        let hint = |setting: Setting| check(&[setting]).expect_err("refused").hint.expect("hint");
        assert!(hint(named("iobuff")).contains("byos, byrx, iobuf, iodir, sixteenth"));
        assert!(hint(value("wal_dir", "/x")).contains("leave it out"));
        assert!(hint(value("table_factory", "x")).contains("+block_size"));
        assert!(hint(value("block_cache", "clock")).contains("hyper_clock"));
        assert!(hint(value("write buffer", "1")).contains("write_buffer_size"));
        assert!(hint(value("write_buffer_size", "1;wal_dir=/x")).contains("without `;`"));
    }
}

//! The worker's start parameters, passed in its environment. Arguments would be visible to all users who can
//! list processes, and a test program that runs as a worker has arguments of its own.

use std::ffi::OsString;
use std::path::PathBuf;

/// Everything a worker needs to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Orders {
    /// The library.
    pub(crate) library: PathBuf,
    /// Where to listen.
    pub(crate) socket: PathBuf,
    /// Where the stores are.
    pub(crate) data: PathBuf,
    /// Options in the library's own language.
    pub(crate) options: String,
    /// The same while a store is filled in order of keys.
    pub(crate) bulk_options: String,
    /// Files of the first level that start a compaction; what `options` say.
    pub(crate) level0_trigger: String,
    /// `lru` or `hyper_clock`.
    pub(crate) cache: String,
    /// Bytes of the block cache.
    pub(crate) cache_bytes: u64,
    /// Of the data, once its size is known; 0 to leave the cache as it is.
    pub(crate) cache_percent: u64,
    /// The most bytes that this share may be; `None` for no bound.
    pub(crate) cache_bytes_max: Option<u64>,
    /// Its memory is limited: all its threads share one heap, and give back what they have freed.
    pub(crate) limited: bool,
    /// Count inside the library.
    pub(crate) statistics: bool,
    /// Only say whether the library can be used.
    pub(crate) inspect: bool,
}

const PREFIX: &str = "HUMDRUM_ROCKSDB_";

impl Orders {
    /// As an environment.
    pub(crate) fn to_env(&self) -> Vec<(OsString, OsString)> {
        let flag = |on: bool| OsString::from(if on { "1" } else { "0" });
        let most = self.cache_bytes_max.map(|most| most.to_string()).unwrap_or_default();
        let pairs: [(&str, OsString); 13] = [
            ("LIBRARY", self.library.clone().into()),
            ("SOCKET", self.socket.clone().into()),
            ("DATA", self.data.clone().into()),
            ("OPTIONS", self.options.clone().into()),
            ("BULK_OPTIONS", self.bulk_options.clone().into()),
            ("LEVEL0_TRIGGER", self.level0_trigger.clone().into()),
            ("CACHE", self.cache.clone().into()),
            ("CACHE_BYTES", self.cache_bytes.to_string().into()),
            ("CACHE_PERCENT", self.cache_percent.to_string().into()),
            ("CACHE_BYTES_MAX", most.into()),
            ("LIMITED", flag(self.limited)),
            ("STATISTICS", flag(self.statistics)),
            ("INSPECT", flag(self.inspect)),
        ];
        pairs.into_iter().map(|(name, value)| (format!("{PREFIX}{name}").into(), value)).collect()
    }

    /// From an environment; `None` where it is not a worker's.
    pub(crate) fn from_env(get: impl Fn(&str) -> Option<OsString>) -> Option<Self> {
        let get = |name: &str| get(&format!("{PREFIX}{name}"));
        let text = |name: &str| get(name).and_then(|value| value.into_string().ok());
        let number = |name: &str| text(name).and_then(|value| value.parse().ok());
        Some(Self {
            library: get("LIBRARY")?.into(),
            socket: get("SOCKET")?.into(),
            data: get("DATA")?.into(),
            options: text("OPTIONS")?,
            bulk_options: text("BULK_OPTIONS")?,
            level0_trigger: text("LEVEL0_TRIGGER")?,
            cache: text("CACHE")?,
            cache_bytes: number("CACHE_BYTES")?,
            cache_percent: number("CACHE_PERCENT")?,
            cache_bytes_max: number("CACHE_BYTES_MAX"),
            limited: number("LIMITED")? != 0,
            statistics: number("STATISTICS")? != 0,
            inspect: number("INSPECT")? != 0,
        })
    }

    /// Orders that only ask whether a library can be used.
    pub(crate) fn inspect(library: PathBuf) -> Self {
        Self {
            library,
            socket: PathBuf::new(),
            data: PathBuf::new(),
            options: String::new(),
            bulk_options: String::new(),
            level0_trigger: String::new(),
            cache: String::new(),
            cache_bytes: 0,
            cache_percent: 0,
            cache_bytes_max: None,
            limited: false,
            statistics: false,
            inspect: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_pass_through_an_environment() {
        let mut orders = Orders::inspect("/x/librocksdb.so".into());
        orders.options = "a=b;c={d=e}".into();
        orders.cache_bytes = u64::MAX;
        for most in [None, Some(7)] {
            orders.cache_bytes_max = most;
            let env = orders.to_env();
            let get = |name: &str| env.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
            assert_eq!(Orders::from_env(get), Some(orders.clone()));
        }
        assert_eq!(Orders::from_env(|_| None), None);
    }
}

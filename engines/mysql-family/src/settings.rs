//! Server settings as alike as possible across releases: which there are, to whom they apply, and which of them a
//! user must not touch.

use std::fmt::Write as _;

use humdrum_contract::{Configuration, Outcome, Sizing};
use humdrum_model::{Fault, Setting};

use crate::flavour::Flavour;
use crate::version::Version;

/// Releases from one on, up to but not including another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span(pub Version, pub Version);

impl Span {
    /// All of them.
    pub const ALL: Self = Self(Version(0, 0, 0), Version(u32::MAX, 0, 0));

    /// From a release on.
    pub const fn from(major: u32, minor: u32, patch: u32) -> Self {
        Self(Version(major, minor, patch), Self::ALL.1)
    }

    /// The same, but not from a series on.
    #[must_use]
    pub const fn until(self, major: u32, minor: u32) -> Self {
        Self(self.0, Version(major, minor, 0))
    }

    /// Whether a release lies in it.
    pub fn holds(self, version: Version) -> bool {
        self.0 <= version && version < self.1
    }
}

/// One setting, and the releases that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Releases that have it.
    pub span: Span,
    /// Name, with underscores.
    pub key: &'static str,
    /// Value; empty for an option without one.
    pub value: std::borrow::Cow<'static, str>,
}

impl Line {
    /// A line whose value is known beforehand.
    pub const fn fixed(span: Span, key: &'static str, value: &'static str) -> Self {
        Self { span, key, value: std::borrow::Cow::Borrowed(value) }
    }

    /// A line whose value depends on the host.
    pub fn sized(span: Span, key: &'static str, value: impl ToString) -> Self {
        Self { span, key, value: std::borrow::Cow::Owned(value.to_string()) }
    }
}

/// A named configuration.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// As a user types it after `+`.
    pub name: &'static str,
    /// What it is for, and for which releases.
    pub about: &'static str,
    /// Releases it is for.
    pub span: Span,
    /// What it adds to the common settings.
    pub adds: &'static [(&'static str, &'static str)],
}

/// What the lab sets by itself and a user must not: where the server is and how it is reached.
const OURS: [&str; 26] = [
    "admin_address",
    "basedir",
    "bind_address",
    "bootstrap",
    "chroot",
    "daemonize",
    "datadir",
    "defaults_extra_file",
    "defaults_file",
    "defaults_group_suffix",
    "gdb",
    "init_file",
    "initialize",
    "initialize_insecure",
    "lc_messages_dir",
    "log_error",
    "mysqlx",
    "no_defaults",
    "pid_file",
    "port",
    "secure_file_priv",
    "skip_grant_tables",
    "skip_networking",
    "socket",
    "tmpdir",
    "user",
];

/// Named configurations, alphabetical.
pub(crate) fn list(flavour: &Flavour) -> Vec<Configuration> {
    let one = |named: &Named| Configuration { name: named.name.into(), about: named.about.into() };
    flavour.named.iter().map(one).collect()
}

/// Checks a subject's settings for a release: names of configurations, and form of options.
///
/// # Errors
/// Usage. Whether the release knows an option is seen when a server is created.
pub(crate) fn check(flavour: &Flavour, settings: &[Setting], version: Version) -> Outcome<()> {
    settings.iter().try_for_each(|setting| match setting {
        Setting::Named(name) => find(flavour, name, version).map(drop),
        Setting::Value { key, value } => check_value(flavour, key, value),
    })
}

/// All settings of a subject in order: the common ones, the named configuration's, the user's. A later one wins.
///
/// # Errors
/// As `check`.
pub(crate) fn resolve(
    flavour: &Flavour,
    settings: &[Setting],
    version: Version,
    sizing: &Sizing,
) -> Outcome<Vec<(String, String)>> {
    check(flavour, settings, version)?;
    let mut given = lines_for(&(flavour.common)(sizing), version);
    let default = Setting::Named((flavour.default_configuration)(version).to_owned());
    let named = settings.iter().any(|setting| matches!(setting, Setting::Named(_)));
    for setting in (!named).then_some(&default).into_iter().chain(settings) {
        match setting {
            Setting::Named(name) => {
                let adds = find(flavour, name, version)?.adds;
                adds.iter().for_each(|(key, value)| set(&mut given, key, (*value).to_owned()));
            }
            Setting::Value { key, value } => set(&mut given, &plain(key), value.clone()),
        }
    }
    Ok(given)
}

/// The lines that a release has, as (name, value).
pub fn lines_for(lines: &[Line], version: Version) -> Vec<(String, String)> {
    let held = lines.iter().filter(|line| line.span.holds(version));
    held.map(|line| (line.key.to_owned(), line.value.clone().into_owned())).collect()
}

/// Settings as lines of an option file.
pub(crate) fn as_text(settings: &[(String, String)]) -> String {
    let mut text = String::new();
    for (key, value) in settings {
        // A server takes any word after `log_bin` for a file's name: OFF would be one.
        let _ = match (key.as_str(), value.to_ascii_uppercase().as_str()) {
            ("log_bin", "OFF" | "0" | "FALSE") => writeln!(text, "skip_log_bin"),
            // Options that older releases take without a value only.
            (key, "") if key.starts_with("skip_") => writeln!(text, "{key}"),
            (key, _) => writeln!(text, "{key}={}", quoted(value)),
        };
    }
    text
}

/// A value as an option file needs it: a backslash is an escape there, and `#` begins a comment.
fn quoted(value: &str) -> String {
    let escaped = value.replace('\\', "\\\\");
    if value.contains(['#', ' ', '\t', '\'', '"']) {
        format!("\"{}\"", escaped.replace('"', "\\\""))
    } else {
        escaped
    }
}

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

/// Replaces a setting where it stands, or adds it.
fn set(given: &mut Vec<(String, String)>, key: &str, value: String) {
    match given.iter_mut().find(|(known, _)| known == key) {
        Some(known) => known.1 = value,
        None => given.push((key.to_owned(), value)),
    }
}

/// Servers take `-` for `_`, and either case.
fn plain(key: &str) -> String {
    key.to_ascii_lowercase().replace('-', "_")
}

fn find(flavour: &Flavour, name: &str, version: Version) -> Outcome<&'static Named> {
    let named = flavour.named.iter().find(|named| named.name == name).ok_or_else(|| {
        let all: Vec<&str> = flavour.named.iter().map(|named| named.name).collect();
        Fault::usage(format!("there is no configuration `{name}` of {}", flavour.name))
            .hint(format!("there are {}; an option of the server is written +{name}=value", all.join(", ")))
    })?;
    if named.span.holds(version) {
        return Ok(named);
    }
    let what = format!("the configuration `{name}` is not for {} {version}: {}", flavour.name, named.about);
    let fitting: Vec<&str> =
        flavour.named.iter().filter(|named| named.span.holds(version)).map(|named| named.name).collect();
    Err(Fault::usage(what).hint(format!("use {}", fitting.join(", "))))
}

fn check_value(flavour: &Flavour, key: &str, value: &str) -> Outcome<()> {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if key.is_empty() || key.starts_with('-') || !key.chars().all(word) {
        return Err(Fault::usage(format!("`{key}` cannot be the name of a {} setting", flavour.name))
            .hint("names are like innodb_io_capacity"));
    }
    let bare = plain(key);
    let bare = bare.strip_prefix("loose_").unwrap_or(&bare);
    if OURS.contains(&bare) {
        return Err(
            Fault::usage(format!("{key} is set by humdrum itself")).hint(format!("leave `+{key}=…` out"))
        );
    }
    if value.contains(['\n', '\r', '\0']) {
        return Err(
            Fault::usage(format!("the value of {key} has a line break in it")).hint("write it on one line")
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_end_before_their_end() {
        let span = Span::from(5, 6, 3).until(8, 0);
        let held =
            [(5, 6, 2), (5, 6, 3), (5, 7, 44), (8, 0, 0)].map(|(a, b, c)| span.holds(Version(a, b, c)));
        assert_eq!(held, [false, true, true, false]);
        assert!(Span::ALL.holds(Version(99, 1, 2)));
    }

    #[test]
    fn option_files_take_what_is_written() {
        let pairs = [
            ("log_bin", "off"),
            ("skip_name_resolve", ""),
            ("init_file", ""),
            ("sql_mode", "A,B"),
            ("init_connect", "SET @a='#\\'"),
        ];
        let text = as_text(&pairs.map(|(key, value)| (key.to_owned(), value.to_owned())));
        assert_eq!(
            text,
            "skip_log_bin\nskip_name_resolve\ninit_file=\nsql_mode=A,B\ninit_connect=\"SET @a='#\\\\'\"\n"
        );
    }

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

    #[test]
    fn what_is_ours_is_in_order() {
        assert!(OURS.is_sorted());
        assert_eq!(plain("Innodb-IO_capacity"), "innodb_io_capacity");
    }
}

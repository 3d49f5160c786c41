//! Settings of a build. They are equal for all subjects unless a subject changes one.

use std::path::PathBuf;

use humdrum_contract::Outcome;
use humdrum_model::{Fault, Setting};

/// Settings that every engine's build has, alphabetical.
const NAMES: [&str; 11] = [
    "align_branches",
    "assertions",
    "cc",
    "frame_pointers",
    "layout",
    "lto",
    "malloc",
    "march",
    "opt",
    "patch",
    "patches",
];

/// Link-time optimisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lto {
    /// None.
    Off,
    /// Of summaries: files are compiled side by side.
    Thin,
    /// Of the whole program.
    Full,
}

/// What settings ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flags {
    /// The compiler.
    pub cc: String,
    /// The level of optimisation, as the compiler takes it.
    pub opt: String,
    /// Link-time optimisation.
    pub lto: Lto,
    /// The processor to compile for; `None`: what the compiler takes by itself.
    pub march: Option<String>,
    /// Keep frame pointers, so that profilers see who called whom.
    pub frame_pointers: bool,
    /// Keep jumps from crossing or ending at a 32-byte boundary. Intel's processors from Skylake to Comet Lake do not keep the decoded
    /// form of such jumps, so that a loop may lose a quarter of its speed because code before it moved (Intel, *Mitigations for Jump
    /// Conditional Code Erratum*).
    pub align_branches: bool,
    /// The seed of the order in which the program is linked; 0: the order of the engine's own build.
    pub layout: u32,
    /// Check the engine's own assertions.
    pub assertions: bool,
    /// A library with another `malloc` to link with; `None`: the C library's.
    pub malloc: Option<&'static str>,
    /// The engine's own switches, as typed.
    pub switches: Vec<(String, String)>,
    /// Apply the patches that come with the engine.
    pub bundled: bool,
    /// The user's patches, in order.
    pub patches: Vec<PathBuf>,
}

impl Default for Flags {
    fn default() -> Self {
        Self {
            cc: "gcc".into(),
            opt: "-O2".into(),
            lto: Lto::Off,
            march: None,
            frame_pointers: true,
            align_branches: false,
            layout: 0,
            assertions: false,
            malloc: None,
            switches: Vec::new(),
            bundled: true,
            patches: Vec::new(),
        }
    }
}

/// The name of a setting that is of a build.
pub(super) fn name<'a>(setting: &'a Setting, switches: &str) -> Option<&'a str> {
    match setting {
        Setting::Value { key, .. } if NAMES.contains(&&**key) || key.starts_with(switches) => Some(key),
        Setting::Named(key) if key.starts_with(switches) => Some(key),
        _ => None,
    }
}

/// Divides a subject's settings into those of the build and those of the server. A bare switch is on.
pub(super) fn split(settings: &[Setting], switches: &str) -> (Vec<(String, String)>, Vec<Setting>) {
    let (mut ours, mut servers) = (Vec::new(), Vec::new());
    for setting in settings {
        let value = match setting {
            Setting::Value { value, .. } => value,
            Setting::Named(_) => "on",
        };
        match name(setting, switches) {
            Some(key) => ours.push((key.to_owned(), value.to_owned())),
            None => servers.push(setting.clone()),
        }
    }
    (ours, servers)
}

impl Flags {
    /// Reads the settings of a build; of two values of one, the later is taken.
    ///
    /// # Errors
    /// Usage, with the values that a setting can have.
    pub(super) fn of(settings: &[(String, String)]) -> Outcome<Self> {
        let mut flags = Self::default();
        for (key, value) in settings {
            flags.set(key, value)?;
        }
        Ok(flags)
    }

    fn set(&mut self, key: &str, value: &str) -> Outcome<()> {
        match key {
            "align_branches" => self.align_branches = aligned(key, value)?,
            "assertions" => self.assertions = switch(key, value)?,
            "cc" => self.cc = word(key, value, "gcc, gcc-12, clang or a path")?,
            "frame_pointers" => self.frame_pointers = switch(key, value)?,
            "layout" => self.layout = number(key, value)?,
            "lto" => self.lto = lto(value)?,
            "malloc" => self.malloc = malloc(value)?,
            "march" => self.march = Some(word(key, value, "native or a processor's name")?),
            "opt" => self.opt = optimisation(value)?,
            "patch" => self.patches.push(patch(value)?),
            "patches" => self.bundled = switch(key, value)?,
            _ => {
                let value = word(key, value, "on, off or one word")?;
                self.switches.retain(|(known, _)| known != key);
                self.switches.push((key.to_owned(), value));
            }
        }
        Ok(())
    }
}

fn refused(key: &str, value: &str, values: &str) -> Fault {
    Fault::usage(format!("`{value}` is no value of {key}")).hint(format!("{key} is {values}"))
}

/// `on` or `off`.
fn switch(key: &str, value: &str) -> Outcome<bool> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        other => Err(refused(key, other, "on or off")),
    }
}

/// `on` or `off`, where the processor has such jumps.
fn aligned(key: &str, value: &str) -> Outcome<bool> {
    let on = switch(key, value)?;
    match on && !cfg!(target_arch = "x86_64") {
        true => Err(refused(key, value, "for x86-64 alone")),
        false => Ok(on),
    }
}

fn number(key: &str, value: &str) -> Outcome<u32> {
    value.parse().map_err(|_| refused(key, value, "a seed, or 0 for the build's own order"))
}

/// One word, and no option.
fn word(key: &str, value: &str, values: &str) -> Outcome<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./+=".contains(c);
    if value.is_empty() || value.starts_with('-') || !value.chars().all(plain) {
        return Err(refused(key, value, values));
    }
    Ok(value.to_owned())
}

fn lto(value: &str) -> Outcome<Lto> {
    match value {
        "off" => Ok(Lto::Off),
        "thin" => Ok(Lto::Thin),
        "full" => Ok(Lto::Full),
        other => Err(refused("lto", other, "off, thin or full")),
    }
}

fn malloc(value: &str) -> Outcome<Option<&'static str>> {
    match value {
        "glibc" => Ok(None),
        "jemalloc" => Ok(Some("jemalloc")),
        "tcmalloc" => Ok(Some("tcmalloc_minimal")),
        other => Err(refused("malloc", other, "glibc, jemalloc or tcmalloc")),
    }
}

fn optimisation(value: &str) -> Outcome<String> {
    let level = value.strip_prefix("-O").unwrap_or_default();
    let known = ["0", "1", "2", "3", "s", "z", "g", "fast"].contains(&level);
    if known { Ok(value.to_owned()) } else { Err(refused("opt", value, "-O2, -O3, -Os and the like")) }
}

fn patch(value: &str) -> Outcome<PathBuf> {
    let path = std::path::absolute(value).map_err(|error| Fault::usage(format!("patch {value}: {error}")))?;
    if path.is_file() {
        return Ok(path);
    }
    Err(Fault::usage(format!("there is no patch {}", path.display()))
        .hint("name a file that `git diff` or `git format-patch` made"))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::source) fn flags(settings: &[(&str, &str)]) -> Outcome<Flags> {
        let owned: Vec<_> = settings.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
        Flags::of(&owned)
    }

    #[test]
    fn a_builds_settings_are_told_from_a_servers() {
        let value = |key: &str, value: &str| Setting::Value { key: key.into(), value: value.into() };
        let all = [
            value("cc", "clang"),
            value("work_mem", "1MB"),
            Setting::Named("x10b".into()),
            value("with_lz4", "on"),
            Setting::Named("with_zstd".into()),
        ];
        let (ours, servers) = split(&all, "with_");
        let expected = [("cc", "clang"), ("with_lz4", "on"), ("with_zstd", "on")];
        assert_eq!(ours, expected.map(|(key, value)| (key.into(), value.into())));
        assert_eq!(servers, all[1..3]);
        assert!(NAMES.is_sorted());
    }

    #[test]
    fn the_later_value_wins() {
        let both =
            flags(&[("opt", "-O3"), ("opt", "-Os"), ("with_x", "1"), ("with_x", "2"), ("lto", "thin")]);
        let switches = vec![("with_x".to_owned(), "2".to_owned())];
        let expected = Flags { opt: "-Os".into(), lto: Lto::Thin, switches, ..Flags::default() };
        assert_eq!(both.expect("flags"), expected);
    }

    #[test]
    fn values_that_there_are_not_name_those_that_there_are() {
        let bad = [
            ("align_branches", "32"),
            ("assertions", "yes"),
            ("cc", "gcc -O3"),
            ("cc", "-x"),
            ("frame_pointers", ""),
            ("layout", "-1"),
            ("lto", "on"),
            ("malloc", "mine"),
            ("march", "a b"),
            ("opt", "-O2 -g"),
            ("opt", "2"),
            ("patch", "/no/such.patch"),
            ("patches", "mine"),
            ("with_lz4", "a'b"),
        ];
        for (key, value) in bad {
            let fault = flags(&[(key, value)]).expect_err(value);
            assert!(fault.exit_code() == 2 && fault.hint.is_some(), "{key}={value}: {fault}");
        }
    }
}

//! Server settings, as similar as possible across releases: the known ones, the releases that have them, and
//! those that a user must not set.

use humdrum_contract::{Configuration, Outcome, Sizing};
use humdrum_model::{Fault, Setting};

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
    /// It changes the configuration before it, and comes after the default where there is none.
    pub variant: bool,
}

/// An engine's settings.
pub struct Options {
    /// What the lab sets by itself and a user must not: where the server is and how it is reached. Lower case, sorted.
    pub ours: &'static [&'static str],
    /// Settings of the lab's own client, with the values that there are: the server is not given them.
    pub client: &'static [(&'static str, &'static [&'static str])],
    /// What a name may hold beside letters and digits; it cannot begin with `-`.
    pub punctuation: &'static [char],
    /// A prefix that servers take from a name (`loose_`); empty for none.
    pub prefix: &'static str,
    /// A name as it is given to the server.
    pub plain: fn(&str) -> String,
    /// Names for an example, as in "names are like …".
    pub names_like: &'static str,
    /// Named configurations, alphabetical.
    pub named: &'static [Named],
    /// The one that a release gets when none is named.
    pub default: fn(Version) -> &'static str,
    /// Settings common to all named configurations.
    pub common: fn(&Sizing) -> Vec<Line>,
    /// What to type instead of a configuration that there is not: what was typed, names of all.
    pub unknown: fn(&str, &str) -> String,
    /// The fault for a configuration that is not for a release: engine, configuration, release, names of those that are.
    pub unfit: fn(&str, &Named, Version, &str) -> Fault,
}

/// Named configurations, alphabetical.
pub(crate) fn list(options: &Options) -> Vec<Configuration> {
    let one = |named: &Named| Configuration { name: named.name.into(), about: named.about.into() };
    options.named.iter().map(one).collect()
}

/// Checks a subject's settings for a release of `engine`: names of configurations, and form of options.
///
/// # Errors
/// Usage. Whether the release knows an option is seen when a server is created.
pub(crate) fn check(engine: &str, options: &Options, settings: &[Setting], version: Version) -> Outcome<()> {
    settings.iter().try_for_each(|setting| match setting {
        Setting::Named(name) => find(engine, options, name, version).map(drop),
        Setting::Value { key, value } => check_value(engine, options, key, value),
    })
}

/// All settings of a subject in order: the common ones, the named configuration's, the user's. A later one wins.
///
/// # Errors
/// Usage, for names of configurations and the form of options.
pub fn resolve(
    engine: &str,
    options: &Options,
    settings: &[Setting],
    version: Version,
    sizing: &Sizing,
) -> Outcome<Vec<(String, String)>> {
    check(engine, options, settings, version)?;
    let mut given = Vec::new();
    lines_for(&(options.common)(sizing), version).into_iter().for_each(|(key, value)| {
        set(options, &mut given, &key, value);
    });
    let default = Setting::Named((options.default)(version).to_owned());
    let changes_default = |setting: &Setting| match setting {
        Setting::Named(name) => options.named.iter().any(|named| named.name == name && named.variant),
        Setting::Value { .. } => true,
    };
    let first = settings.iter().all(changes_default).then_some(&default);
    for setting in first.into_iter().chain(settings) {
        match setting {
            Setting::Named(name) => {
                let adds = find(engine, options, name, version)?.adds;
                adds.iter().for_each(|(key, value)| set(options, &mut given, key, (*value).to_owned()));
            }
            Setting::Value { key, value } => set(options, &mut given, &(options.plain)(key), value.clone()),
        }
    }
    Ok(given)
}

/// The lines that a release has, as (name, value).
pub fn lines_for(lines: &[Line], version: Version) -> Vec<(String, String)> {
    let held = lines.iter().filter(|line| line.span.holds(version));
    held.map(|line| (line.key.to_owned(), line.value.clone().into_owned())).collect()
}

/// How the lab's own client reaches a server of ours, for engines that let it be chosen: `socket`, which is the default, or `tcp`, at
/// 127.0.0.1.
pub const CLIENT_CONNECTION: (&str, &[&str]) = ("client_connection", &["socket", "tcp"]);

/// Whether the settings of the lab's own client ask for TCP.
pub(crate) fn asks_for_tcp(client: &[(String, String)]) -> bool {
    client.iter().any(|(name, value)| name == CLIENT_CONNECTION.0 && value == "tcp")
}

/// The settings of the lab's own client among those given.
pub(crate) fn of_client(options: &Options, given: &[(String, String)]) -> Vec<(String, String)> {
    let is_ours = |(key, _): &&(String, String)| options.client.iter().any(|(name, _)| name == key);
    given.iter().filter(is_ours).cloned().collect()
}

/// Names of the settings that a user typed, as the server is given them.
pub(crate) fn asked(options: &Options, settings: &[Setting]) -> Vec<String> {
    let names = settings.iter().filter_map(|setting| match setting {
        Setting::Value { key, .. } => Some((options.plain)(key)),
        Setting::Named(_) => None,
    });
    names.collect()
}

/// Replaces a setting in its place, or adds it. Names are compared without regard to case and to the prefix.
fn set(options: &Options, given: &mut Vec<(String, String)>, key: &str, value: String) {
    let name = bare(options, key);
    match given.iter_mut().find(|(known, _)| bare(options, known) == name) {
        Some(known) if known.0.eq_ignore_ascii_case(key) => known.1 = value,
        Some(known) => *known = (key.to_owned(), value),
        None => given.push((key.to_owned(), value)),
    }
}

/// A name in lower case, without the prefix.
fn bare(options: &Options, key: &str) -> String {
    let lower = key.to_ascii_lowercase();
    lower.strip_prefix(options.prefix).map_or_else(|| lower.clone(), str::to_owned)
}

fn find(engine: &str, options: &Options, name: &str, version: Version) -> Outcome<&'static Named> {
    let names = |holds: &dyn Fn(&&Named) -> bool| {
        options.named.iter().filter(holds).map(|named| named.name).collect::<Vec<_>>().join(", ")
    };
    let named = options.named.iter().find(|named| named.name == name).ok_or_else(|| {
        Fault::usage(format!("there is no configuration `{name}` of {engine}"))
            .hint((options.unknown)(name, &names(&|_| true)))
    })?;
    if named.span.holds(version) {
        return Ok(named);
    }
    Err((options.unfit)(engine, named, version, &names(&|named| named.span.holds(version))))
}

fn check_value(engine: &str, options: &Options, key: &str, value: &str) -> Outcome<()> {
    let word = |c: char| c.is_ascii_alphanumeric() || options.punctuation.contains(&c);
    if key.is_empty() || key.starts_with('-') || !key.chars().all(word) {
        return Err(Fault::usage(format!("`{key}` cannot be the name of a {engine} setting"))
            .hint(format!("names are like {}", options.names_like)));
    }
    let bare = bare(options, &(options.plain)(key));
    if options.ours.contains(&bare.as_str()) {
        return Err(
            Fault::usage(format!("{key} is set by humdrum itself")).hint(format!("leave `+{key}=…` out"))
        );
    }
    if let Some((_, values)) = options.client.iter().find(|(name, _)| *name == bare)
        && !values.contains(&value)
    {
        return Err(Fault::usage(format!("{key} cannot be `{value}`"))
            .hint(format!("it is one of {}", values.join(", "))));
    }
    if value.contains(['\n', '\r', '\0']) {
        return Err(
            Fault::usage(format!("the value of {key} has a line break in it")).hint("write it on one line")
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests;

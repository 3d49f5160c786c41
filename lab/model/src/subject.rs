//! A subject of a comparison, as the user names it.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// One release, build or configuration under measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// Its name in tables and files, unique within a plan. By default the subject as typed.
    pub label: String,
    /// The engine's name (`postgres`, `fake`, …).
    pub engine: String,
    /// Where the build comes from.
    pub place: Place,
    /// Settings in the order given; a later one wins.
    pub settings: Vec<Setting>,
}

/// Where a subject's build comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// A release from the engine's catalogue, as typed: `17.7`, or `17` for the newest known 17.x.
    Version(String),
    /// A folder of an installed build.
    Folder(PathBuf),
    /// Sources, and optionally a revision of them.
    Source {
        /// The checkout.
        path: PathBuf,
        /// The revision to check out; `None`: the present files.
        revision: Option<String>,
    },
    /// A server that is already running, by URL.
    External(String),
}

/// One `+SETTING` of a subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Setting {
    /// A named configuration (`x10b`).
    Named(String),
    /// One option in the engine's own terms.
    Value {
        /// The option's name.
        key: String,
        /// Its value, as text.
        value: String,
    },
}

impl Subject {
    /// The subject as it could be typed, with its label if somebody chose one. A label with an `@` is what was typed before a release or
    /// a revision was looked up.
    pub fn typed(&self) -> String {
        let bare = self.to_string();
        if self.label.contains('@') { bare } else { format!("{}={bare}", self.label) }
    }

    /// The subject without the password of a URL, so that it can be written to files. To use it later, the password
    /// must come from elsewhere (for Postgres, PGPASSWORD).
    #[must_use]
    pub fn without_password(&self) -> Self {
        let place = match &self.place {
            Place::External(url) => Place::External(url_without_password(url)),
            other => other.clone(),
        };
        Self { place, ..self.clone() }
    }
}

/// `scheme://user:password@host` as `scheme://user@host`, and without options that hold a password. The password may
/// contain an `@`.
pub fn url_without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    let tail = tail_without_password(tail);
    match authority.rsplit_once('@') {
        Some((login, host)) => {
            let user = login.split(':').next().unwrap_or(login);
            format!("{scheme}://{user}@{host}{tail}")
        }
        None => format!("{scheme}://{authority}{tail}"),
    }
}

fn tail_without_password(tail: &str) -> String {
    let Some((path, options)) = tail.split_once('?') else { return tail.to_owned() };
    let harmless = |option: &&str| {
        let name = option.split('=').next().unwrap_or_default();
        !name.to_ascii_lowercase().ends_with("password")
    };
    let kept: Vec<&str> = options.split('&').filter(harmless).collect();
    if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(version) => f.write_str(version),
            Self::Folder(path) => write!(f, "{}", path.display()),
            Self::Source { path, revision: None } => write!(f, "src:{}", path.display()),
            Self::Source { path, revision: Some(revision) } => write!(f, "src:{}#{revision}", path.display()),
            Self::External(url) => f.write_str(url),
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::Value { key, value } => write!(f, "{key}={value}"),
        }
    }
}

impl fmt::Display for Subject {
    /// The subject as it could be typed, without its label.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.engine, self.place)?;
        self.settings.iter().try_for_each(|setting| write!(f, "+{setting}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_typed_if_it_was_chosen() {
        let mut subject = Subject {
            label: "mysql@9.7".into(),
            engine: "mysql".into(),
            place: Place::Version("9.7.4".into()),
            settings: Vec::new(),
        };
        assert_eq!(subject.typed(), "mysql@9.7.4");
        subject.label = "new".into();
        assert_eq!(subject.typed(), "new=mysql@9.7.4");
    }

    #[test]
    fn passwords_are_left_out() {
        let stripped =
            ["x://me:se@cret@h:1/db?a=b@c", "x://me@h/db", "x://h/db?u=v:w@z"].map(url_without_password);
        assert_eq!(stripped, ["x://me@h:1/db?a=b@c", "x://me@h/db", "x://h/db?u=v:w@z"]);
        let options =
            ["x://h/db?password=secret", "x://h?a=b&sslPassword=secret&c=d"].map(url_without_password);
        assert_eq!(options, ["x://h/db", "x://h?a=b&c=d"]);
    }
}

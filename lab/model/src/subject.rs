//! A subject: one thing that is measured, as the user names it.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// One release, build or configuration under measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// What tables and files call it; unique within a plan. By default the subject as typed.
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
        /// What to check out, if not what is there.
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

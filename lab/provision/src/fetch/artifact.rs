//! A file to fetch, and what it is checked against.

/// What a file is checked against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// This SHA-256, known beforehand.
    Pinned(String),
    /// The checksum file that the registry keeps beside it (`.sha256`, else `.sha1`).
    Registry,
    /// This SHA-256, which the registry's own index states of it.
    Listed(String),
}

/// A file to fetch.
#[derive(Clone, Debug)]
pub struct Artifact {
    /// Its name in the cache and in messages.
    pub name: String,
    /// Its address.
    pub url: String,
    /// What it is checked against.
    pub trust: Trust,
}

//! What an upgrade needs to know of a running server. The server is only read.

/// A running server and its database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// The server's release, as it says itself (`15.18`).
    pub version: String,
    /// The database that is to be upgraded.
    pub database: String,
    /// Bytes of the database on the server's disk.
    pub bytes: u64,
    /// Settings that someone chose and that another server can have as well: those of the optimizer, of memory for one
    /// statement, and of durability.
    pub chosen: Vec<(String, String)>,
    /// Names of other settings that someone chose: addresses, folders, caches, logs.
    pub others: Vec<String>,
}

/// A program that writes a dump of a running server's database to its standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpProgram {
    /// Its names, the best one first.
    pub names: &'static [&'static str],
    /// Its arguments, without a password.
    pub arguments: Vec<String>,
    /// Its environment, with the password. It is never shown.
    pub environment: Vec<(String, String)>,
    /// The end of the dump's file name (`dump`, `sql`).
    pub extension: &'static str,
    /// What a user would type.
    pub typed: String,
}

//! How to reach a server, and the account.

use humdrum_transport::{Encryption, Endpoint};

/// The lab's account, and its schema on an external server: nothing outside it is touched there.
pub const SCHEMA: &str = "humdrum";

/// Where a server listens and how to log in.
#[derive(Clone, Debug)]
pub struct Login {
    /// The server was made by the lab and is for its runs alone.
    pub is_ours: bool,
    /// Socket or address.
    pub endpoint: Endpoint,
    /// Account.
    pub user: String,
    /// Its password; empty for none.
    pub password: String,
    /// Database that the session begins in; empty for none.
    pub database: String,
    /// The schema that sessions on an external server are restricted to.
    pub schema: Option<&'static str>,
    /// What is asked of encryption over TCP; `None` for none.
    pub encryption: Option<Encryption>,
    /// What the user should know of where the password was looked for.
    pub notes: Vec<String>,
    /// The socket of a server of ours that clients reach over TCP: for what a server takes over a socket alone.
    pub socket: Option<Endpoint>,
    /// Settings of the lab's own client.
    pub client: Vec<(String, String)>,
}

//! `postgres://user:password@host:port/database`, or `?host=/folder/of/the/socket`, as libpq reads it: what the URL does
//! not say is looked for in libpq's environment variables, and a password then in its file of passwords.
//!
//! ```text
//!   url/encryption.rs   sslmode and what belongs to it
//!   url/passfile.rs     ~/.pgpass
//! ```

mod encryption;
mod passfile;

use std::path::{Path, PathBuf};

use humdrum_contract::Outcome;
use humdrum_engine_kit::{Login, private_file};
use humdrum_model::Fault;
use humdrum_provision::server_url::{self, ServerUrl, without_password};
use humdrum_transport::Endpoint;

use passfile::Wanted;

/// What is known beside the URL.
struct Around<'a> {
    /// The value of an environment variable; `None` if it is empty or not set.
    variable: &'a dyn Fn(&str) -> Option<String>,
    /// The user's own folder.
    home: Option<&'a Path>,
}

/// Options of a URL, each with the variable that stands for it where the URL lacks it.
const OPTIONS: [(&str, Option<&str>); 11] = [
    ("channel_binding", Some("PGCHANNELBINDING")),
    ("dbname", None),
    ("host", None),
    ("passfile", Some("PGPASSFILE")),
    ("password", Some("PGPASSWORD")),
    ("port", None),
    ("sslcert", Some("PGSSLCERT")),
    ("sslkey", Some("PGSSLKEY")),
    ("sslmode", Some("PGSSLMODE")),
    ("sslrootcert", Some("PGSSLROOTCERT")),
    ("user", None),
];

/// Reads the URL of a running server.
///
/// # Errors
/// Usage.
pub(crate) fn parse(url: &str) -> Outcome<Login> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let home = private_file::home();
    read(url, &Around { variable: &variable, home: home.as_deref() })
}

fn read(url: &str, around: &Around<'_>) -> Outcome<Login> {
    let malformed = |why: &str| {
        Fault::usage(format!("{} is not the URL of a postgres server: {why}", without_password(url))).hint(
            "write postgres://user@host:5432/database, or postgres://user@/database?host=/socket/folder",
        )
    };
    if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
        return Err(malformed("it does not begin with postgres://"));
    }
    let url = server_url::parse(url).map_err(|wrong| malformed(&wrong.to_string()))?;
    if let Some((other, _)) = url.options.iter().find(|(key, _)| !OPTIONS.iter().any(|(name, _)| name == key))
    {
        let known = OPTIONS.map(|(name, _)| name).join(", ");
        return Err(malformed(&format!("the option `{other}` is not known (known are {known})")));
    }
    let value = |name: &str| value(&url, name, around);
    let port = match value("port") {
        Some(port) => port.parse().map_err(|_| malformed("the port is not a number"))?,
        None => url.port.unwrap_or(5432),
    };
    let host = value("host").unwrap_or_else(|| url.host.clone());
    let part = |name: &str, part: &str| value(name).unwrap_or_else(|| part.to_owned());
    let user = Some(part("user", &url.user)).filter(|user| !user.is_empty());
    let user = user.unwrap_or_else(|| "postgres".to_owned());
    let database = Some(part("dbname", &url.path)).filter(|name| !name.is_empty());
    let database = database.unwrap_or_else(|| user.clone());
    let endpoint = endpoint(&host, port)?;
    let encryption = match endpoint {
        Endpoint::Unix(_) => None,
        Endpoint::Tcp(..) => Some(encryption::read(&value, around.home).map_err(|why| malformed(&why))?),
    };
    let given = Some(url.password.clone()).filter(|password| !password.is_empty());
    let (password, notes) = match given.or_else(|| value("password")) {
        Some(password) => (password, Vec::new()),
        None => {
            let host = if host.is_empty() || host.starts_with('/') { "localhost" } else { &host };
            let wanted = Wanted { host, port, database: &database, user: &user };
            let file = value("passfile").map(PathBuf::from);
            let found =
                passfile::find(&wanted, file.or_else(|| Some(around.home?.join(".pgpass"))).as_deref());
            (found.password.unwrap_or_default(), found.note.into_iter().collect())
        }
    };
    Ok(Login {
        is_ours: false,
        endpoint,
        user,
        password,
        database,
        schema: None,
        encryption,
        notes,
        socket: None,
        client: Vec::new(),
    })
}

/// An option of the URL, or the variable that stands for it.
fn value(url: &ServerUrl, name: &str, around: &Around<'_>) -> Option<String> {
    let typed = url.options.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    typed.or_else(|| {
        let (_, variable) = OPTIONS.iter().find(|(option, _)| *option == name)?;
        (around.variable)((*variable)?)
    })
}

fn endpoint(host: &str, port: u16) -> Outcome<Endpoint> {
    Ok(match host {
        "" => Endpoint::Tcp("localhost".into(), port),
        path if path.starts_with('/') => {
            Endpoint::Unix(server_url::socket(PathBuf::from(path).join(format!(".s.PGSQL.{port}")))?)
        }
        name => Endpoint::Tcp(name.to_owned(), port),
    })
}

#[cfg(test)]
mod tests;

//! `postgres://user:password@host:port/database`, or `?host=/folder/of/the/socket`, as libpq reads it.

use std::path::PathBuf;

use humdrum_contract::Outcome;
use humdrum_model::Fault;

use crate::session::{Endpoint, Target};

/// The schema that is ours on a server that is not; nothing outside it is touched.
pub(crate) const SCHEMA: &str = "humdrum";

/// Reads the URL of a running server.
///
/// # Errors
/// Usage.
pub(crate) fn parse(url: &str) -> Outcome<Target> {
    let malformed = |why: &str| {
        Fault::usage(format!("{} is not the URL of a postgres server: {why}", without_password(url))).hint(
            "write postgres://user@host:5432/database, or postgres://user@/database?host=/socket/folder",
        )
    };
    let rest = url.strip_prefix("postgres://").or_else(|| url.strip_prefix("postgresql://"));
    let rest = rest.ok_or_else(|| malformed("it does not begin with postgres://"))?;
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
    let (login, address) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (user, password) = login.split_once(':').unwrap_or((login, ""));
    let decode =
        |text: &str| decode(text).ok_or_else(|| malformed("a % is not followed by two hexadecimal digits"));
    let (host, port) = host_and_port(address).ok_or_else(|| malformed("the port is not a number"))?;
    let (mut host, mut port) = (decode(host)?, port.unwrap_or(5432));
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').ok_or_else(|| malformed("an option has no `=`"))?;
        match (key, decode(value)?) {
            ("host", value) => host = value,
            ("port", value) => port = value.parse().map_err(|_| malformed("the port is not a number"))?,
            ("sslmode", value) if matches!(value.as_str(), "disable" | "allow" | "prefer") => {}
            ("sslmode", _) => return Err(malformed("encrypted connections are not spoken here")),
            (other, _) => return Err(malformed(&format!("the option `{other}` is not known"))),
        }
    }
    let user = if user.is_empty() { "postgres".to_owned() } else { decode(user)? };
    let database = if database.is_empty() { user.clone() } else { decode(database)? };
    let password =
        if password.is_empty() { std::env::var("PGPASSWORD").unwrap_or_default() } else { decode(password)? };
    let options = vec![("search_path".to_owned(), SCHEMA.to_owned())];
    Ok(Target { endpoint: endpoint(&host, port), user, password, database, options })
}

/// The URL as it may be printed.
pub(crate) fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    match rest[..end].rsplit_once('@') {
        Some((login, _)) if login.contains(':') => {
            let user = login.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}:…@{}", &rest[login.len() + 1..])
        }
        _ => url.to_owned(),
    }
}

fn endpoint(host: &str, port: u16) -> Endpoint {
    match host {
        "" => Endpoint::Tcp("localhost".into(), port),
        path if path.starts_with('/') => Endpoint::Unix(PathBuf::from(path).join(format!(".s.PGSQL.{port}"))),
        name => Endpoint::Tcp(name.to_owned(), port),
    }
}

/// `host`, `host:port` or `[v6]:port`; `None` when the port is no number.
fn host_and_port(address: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = match address.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, rest)) => (host, rest.strip_prefix(':')),
        None => match address.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (address, None),
        },
    };
    match port {
        None => Some((host, None)),
        Some(port) => Some((host, Some(port.parse().ok()?))),
    }
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_libpq_reads() {
        let target = parse("postgres://me:p%40ss@db.example:6000/bench?sslmode=disable").expect("tcp");
        assert_eq!(target.endpoint, Endpoint::Tcp("db.example".into(), 6000));
        assert_eq!(
            (target.user.as_str(), target.password.as_str(), target.database.as_str()),
            ("me", "p@ss", "bench")
        );
        let target = parse("postgresql://me@/?host=/run/pg&port=5433").expect("unix");
        assert_eq!(target.endpoint, Endpoint::Unix("/run/pg/.s.PGSQL.5433".into()));
        assert_eq!(target.database, "me");
        assert_eq!(parse("postgres://[::1]:1").expect("v6").endpoint, Endpoint::Tcp("::1".into(), 1));
        assert_eq!(target.options, [("search_path".to_owned(), "humdrum".to_owned())]);
    }

    #[test]
    fn malformed_ones_are_usage_and_hide_the_password() {
        for url in [
            "mysql://h",
            "postgres://h:port/",
            "postgres://h/?x",
            "postgres://h/%zz",
            "postgres://h?sslmode=require",
            "postgres://h?a=b",
        ] {
            let fault = parse(url).map(|_| ()).expect_err(url);
            assert_eq!((fault.exit_code(), fault.hint.is_some()), (2, true), "{url}");
        }
        let fault = parse("postgres://me:secret@h:port/db").map(|_| ()).expect_err("port");
        assert!(!fault.what.contains("secret") && fault.what.contains("me:…@h"), "{fault}");
    }
}

//! Parses `scheme://user:password@host:port/path?key=value`: the URL of a server that is already running.
//! The engine decides what the parts mean.

use std::fmt;
use std::path::PathBuf;

use humdrum_contract::Outcome;
use humdrum_model::Fault;

use crate::run_folder::SOCKET_PATH_BYTES_MAX;

/// A URL's parts, decoded; empty where it has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerUrl {
    /// Before `://`.
    pub scheme: String,
    /// Account.
    pub user: String,
    /// The account's password.
    pub password: String,
    /// Host, without the brackets of a v6 address.
    pub host: String,
    /// Port, where one is given.
    pub port: Option<u16>,
    /// The path after the first `/`.
    pub path: String,
    /// Options, in order.
    pub options: Vec<(String, String)>,
}

/// What is wrong with a URL, as in "is not the URL of a server: {}".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// There is no `://`.
    NoScheme,
    /// A `%` is not followed by two hexadecimal digits.
    Escape,
    /// The port is not a number.
    Port,
    /// An option has no `=`.
    Option,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoScheme => "it has no scheme",
            Self::Escape => "a % is not followed by two hexadecimal digits",
            Self::Port => "the port is not a number",
            Self::Option => "an option has no `=`",
        })
    }
}

/// Parses a URL.
///
/// # Errors
/// Says what is wrong with the URL.
pub fn parse(url: &str) -> Result<ServerUrl, Malformed> {
    let (scheme, rest) = url.split_once("://").ok_or(Malformed::NoScheme)?;
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    // A password may itself hold an `@`.
    let (login, address) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (user, password) = login.split_once(':').unwrap_or((login, ""));
    let (host, port) = host_and_port(address)?;
    let option = |pair: &str| {
        let (key, value) = pair.split_once('=').ok_or(Malformed::Option)?;
        Ok((key.to_owned(), decode(value)?))
    };
    let options = query.split('&').filter(|pair| !pair.is_empty()).map(option);
    Ok(ServerUrl {
        scheme: scheme.to_owned(),
        user: decode(user)?,
        password: decode(password)?,
        host: decode(host)?,
        port,
        path: decode(path)?,
        options: options.collect::<Result<_, _>>()?,
    })
}

/// Checks that a socket's path can be connected to, and returns it.
///
/// # Errors
/// Usage: the path is longer than the kernel accepts.
pub fn socket(path: PathBuf) -> Outcome<PathBuf> {
    let bytes = path.as_os_str().len();
    if bytes <= SOCKET_PATH_BYTES_MAX {
        return Ok(path);
    }
    let what = format!(
        "the socket {} has a path of {bytes} bytes, and no socket's may have more than {SOCKET_PATH_BYTES_MAX}",
        path.display()
    );
    Err(Fault::usage(what).hint("name it by a short link to its folder: ln -s /its/long/folder /tmp/server"))
}

/// The URL without its password, for printing.
pub fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    let tail = tail_without_password(tail);
    match authority.rsplit_once('@') {
        Some((login, host)) if login.contains(':') => {
            let user = login.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}:…@{host}{tail}")
        }
        _ => format!("{scheme}://{authority}{tail}"),
    }
}

/// Options may hold a password too: libpq's `password` and `sslpassword`.
fn tail_without_password(tail: &str) -> String {
    let Some((path, options)) = tail.split_once('?') else { return tail.to_owned() };
    let shown = options.split('&').map(|option| match option.split_once('=') {
        Some((name, _)) if name.to_ascii_lowercase().ends_with("password") => format!("{name}=…"),
        _ => option.to_owned(),
    });
    format!("{path}?{}", shown.collect::<Vec<_>>().join("&"))
}

/// `host`, `host:port` or `[v6]:port`.
fn host_and_port(address: &str) -> Result<(&str, Option<u16>), Malformed> {
    let (host, port) = match address.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, rest)) => (host, rest.strip_prefix(':')),
        None => match address.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (address, None),
        },
    };
    let port = port.map(|port| port.parse().map_err(|_| Malformed::Port)).transpose()?;
    Ok((host, port))
}

fn decode(text: &str) -> Result<String, Malformed> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first == b'%' {
            let digits =
                tail.get(..2).and_then(|two| std::str::from_utf8(two).ok()).ok_or(Malformed::Escape)?;
            // `from_str_radix` alone would take a sign for a digit.
            if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(Malformed::Escape);
            }
            bytes.push(u8::from_str_radix(digits, 16).map_err(|_| Malformed::Escape)?);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).map_err(|_| Malformed::Escape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_apart() {
        let url = parse("mysql://me:p%40s@s@db.example:3307/bench?socket=/run/m%20y&a=").expect("whole");
        assert_eq!((url.scheme.as_str(), url.user.as_str(), url.password.as_str()), ("mysql", "me", "p@s@s"));
        assert_eq!((url.host.as_str(), url.port, url.path.as_str()), ("db.example", Some(3307), "bench"));
        let pairs =
            [("socket", "/run/m y"), ("a", "")].map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(url.options, pairs);
        assert_eq!(parse("x://[::1]:1").map(|url| (url.host, url.port)), Ok(("::1".into(), Some(1))));
        assert_eq!(
            parse("x://h"),
            Ok(ServerUrl { scheme: "x".into(), host: "h".into(), ..ServerUrl::default() })
        );
    }

    #[test]
    fn says_what_is_wrong() {
        let cases = [
            ("host", Malformed::NoScheme),
            ("x://h:port", Malformed::Port),
            ("x://h:99999", Malformed::Port),
            ("x://h/%zz", Malformed::Escape),
            ("x://h/%+1", Malformed::Escape),
            ("x://h/%ff", Malformed::Escape),
            ("x://h?a", Malformed::Option),
        ];
        for (url, wrong) in cases {
            assert_eq!(parse(url), Err(wrong), "{url}");
        }
    }

    #[test]
    fn passwords_are_hidden() {
        let shown =
            ["x://me:se@cret@h:1/db?a=b@c", "x://me@h/db", "x://h/db?u=v:w@z", "h"].map(without_password);
        assert_eq!(shown, ["x://me:…@h:1/db?a=b@c", "x://me@h/db", "x://h/db?u=v:w@z", "h"]);
        let options = without_password("x://h/db?a=b&password=secret&c=d");
        assert_eq!(options, "x://h/db?a=b&password=…&c=d");
    }
}

//! The file of hosts that ssh reaches.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use humdrum_model::Fault;
use serde::{Deserialize, Serialize};

/// A host as ssh knows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Address {
    /// `HOST` or `USER@HOST`; a name of the user's configuration of ssh is a host too.
    pub name: String,
    /// The port, where it is not ssh's own choice.
    pub port: Option<u16>,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) if self.name.contains(':') => match self.name.rsplit_once('@') {
                Some((user, host)) => write!(f, "{user}@[{host}]:{port}"),
                None => write!(f, "[{}]:{port}", self.name),
            },
            Some(port) => write!(f, "{}:{port}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// The hosts of a file.
///
/// # Errors
/// Usage: the file cannot be read, has no host, has one twice, or has a line that is none.
pub fn read(file: &Path) -> Result<Vec<Address>, Fault> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Fault::usage(format!("cannot read {}: {error}", file.display())))?;
    let mut hosts = Vec::new();
    let mut seen = BTreeSet::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split_once('#').map_or(line, |(before, _)| before).trim();
        if line.is_empty() {
            continue;
        }
        let place = || format!("line {} of {}", number + 1, file.display());
        let address = parse(line).ok_or_else(|| {
            Fault::usage(format!("{} is no host: `{}`", place(), humdrum_report::printable(line)))
                .hint("write [USER@]HOST[:PORT], or a name of your ssh configuration: one a line")
        })?;
        if !seen.insert(address.clone()) {
            return Err(Fault::usage(format!("{} has {address} a second time", place()))
                .hint("remove the line; --per-host gives every host more shards"));
        }
        hosts.push(address);
    }
    if hosts.is_empty() {
        return Err(Fault::usage(format!("{} has no host", file.display())).hint("write one a line"));
    }
    Ok(hosts)
}

fn parse(line: &str) -> Option<Address> {
    let (user, rest) = line.rsplit_once('@').map_or((None, line), |(user, rest)| (Some(user), rest));
    let (host, port) = match rest.strip_prefix('[') {
        Some(bracketed) => {
            let (host, after) = bracketed.split_once(']')?;
            let port = if after.is_empty() { None } else { Some(after.strip_prefix(':')?) };
            (host, port)
        }
        // More than one colon: an address of IPv6 without a port.
        None if rest.matches(':').count() > 1 => (rest, None),
        None => rest.split_once(':').map_or((rest, None), |(host, port)| (host, Some(port))),
    };
    let port = match port {
        Some(port) => Some(port.parse().ok().filter(|port| *port > 0)?),
        None => None,
    };
    // A word that begins with `-` would be an option of ssh.
    let is_word = |word: &str, more: &str| {
        let mut signs = word.chars();
        signs.next().is_some_and(|first| first != '-')
            && word.chars().all(|c| c.is_alphanumeric() || "._-".contains(c) || more.contains(c))
    };
    let fits = is_word(host, ":%") && user.is_none_or(|user| is_word(user, "+"));
    let name = user.map_or_else(|| host.to_owned(), |user| format!("{user}@{host}"));
    fits.then_some(Address { name, port })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> Option<String> {
        parse(line).map(|address| address.to_string())
    }

    #[test]
    fn addresses_are_shown_as_they_were_written() {
        for line in
            ["host", "me@host", "me@host:2222", "host.example:22", "::1", "me@[::1]:2222", "fe80::1%eth0"]
        {
            assert_eq!(shown(line).as_deref(), Some(line));
        }
        assert_eq!(shown("[::1]").as_deref(), Some("::1"));
        let address = parse("me@[::1]:2222").unwrap();
        assert_eq!((address.name.as_str(), address.port), ("me@::1", Some(2222)));
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for line in [
            "-oProxyCommand=x",
            "me@-host",
            "-l@host",
            "a b",
            "host:",
            "host:0",
            "host:70000",
            "host:ssh",
            "@host",
            "me@",
            "$(id)",
            "host;id",
            "[::1",
            "[::1]22",
            "a'b",
        ] {
            assert_eq!(shown(line), None, "{line}");
        }
    }

    #[test]
    fn a_file_has_comments_and_each_host_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hosts");
        let read_of = |text: &str| {
            std::fs::write(&file, text).unwrap();
            read(&file).map_err(|fault| fault.to_string())
        };
        assert_eq!(read_of("# all\n\n a:22 # first\nb\n").unwrap().len(), 2);
        assert!(read_of("a\nb\na\n").unwrap_err().contains("line 3"));
        assert!(read_of("a\nb c\n").unwrap_err().contains("line 2"));
        assert!(read_of("# none\n").unwrap_err().contains("has no host"));
    }
}

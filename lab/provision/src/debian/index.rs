//! Reads the `Packages` index of a suite, checked by the checksum in the suite's `InRelease`.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read};

use humdrum_contract::{Dirs, Outcome, Progress, Update};
use humdrum_model::Fault;
use lzma_rust2::XzReader;

use super::mirror::Mirror;
use crate::checksum;
use crate::fetch::{self, Artifact, Trust};

/// Of `Packages`, as it is listed in `InRelease`.
const INDEX: &str = "main/binary-amd64/Packages.xz";

/// A suite's packages by name; of several versions, the one listed last.
#[derive(Debug, Default)]
pub(super) struct Suite {
    packages: HashMap<String, Listed>,
    /// Virtual names that packages provide.
    provided: HashMap<String, String>,
}

/// What the index says of a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Listed {
    pub name: String,
    pub version: String,
    pub path: String,
    pub sha256: String,
    /// What it needs: for each need, names of which one will do.
    pub needs: Vec<Vec<String>>,
}

impl Suite {
    pub(super) fn find(&self, name: &str) -> Option<&Listed> {
        self.packages.get(name).or_else(|| self.packages.get(self.provided.get(name)?))
    }

    pub(super) fn parse(text: &str) -> Self {
        let mut suite = Self::default();
        for stanza in text.split("\n\n") {
            let (listed, provides) = stanza_of(stanza);
            if listed.name.is_empty() || listed.path.is_empty() {
                continue;
            }
            for name in provides {
                suite.provided.entry(name).or_insert_with(|| listed.name.clone());
            }
            suite.packages.insert(listed.name.clone(), listed);
        }
        suite
    }
}

/// Reads the suites' indexes, in their order.
pub(super) fn read(
    suites: &[&str],
    mirror: &Mirror,
    dirs: &Dirs,
    progress: &dyn Progress,
) -> Outcome<Vec<Suite>> {
    suites.iter().map(|suite| read_one(suite, mirror, dirs, progress)).collect()
}

fn read_one(suite: &str, mirror: &Mirror, dirs: &Dirs, progress: &dyn Progress) -> Outcome<Suite> {
    progress.update(Update::Step(&format!("reading what Debian {suite} holds")));
    let release = fetch::text(&mirror.of_suite(suite, "InRelease"), &dirs.interrupt)?;
    let missing = |what: &str| {
        Fault::environment(format!("the mirror of Debian has no {what} of {suite}"))
            .hint("is HUMDRUM_DEBIAN_MIRROR, or what apt is set to, a whole mirror?")
    };
    let release = release.ok_or_else(|| missing("InRelease"))?;
    let sum = listed_sum(&release).ok_or_else(|| missing("index"))?;
    let artifact = Artifact {
        // Of its own for each state of the suite: what was half fetched before is of another.
        name: format!("debian-{suite}-{}.Packages.xz", &sum[..12]),
        url: mirror.of_suite(suite, INDEX),
        trust: Trust::Listed(sum),
    };
    let fetched = fetch::fetch(&artifact, dirs, progress)?;
    let unread = |error: std::io::Error| {
        Fault::environment(format!("cannot read {}: {error}", fetched.path.display()))
    };
    let mut text = String::new();
    let file = BufReader::new(File::open(&fetched.path).map_err(unread)?);
    XzReader::new(file, true).read_to_string(&mut text).map_err(unread)?;
    Ok(Suite::parse(&text))
}

/// The SHA-256 of the index: of the sums on lines that end in its name, the one that is as long.
fn listed_sum(release: &str) -> Option<String> {
    let mut sums = release.lines().filter_map(|line| {
        let mut words = line.strip_prefix(' ')?.split_ascii_whitespace();
        let (sum, name) = (words.next()?, words.nth(1)?);
        (name == INDEX && sum.len() == checksum::SHA256_DIGITS).then(|| sum.to_ascii_lowercase())
    });
    sums.next()
}

fn stanza_of(stanza: &str) -> (Listed, Vec<String>) {
    let (mut listed, mut provides) = (Listed::default(), Vec::new());
    for (key, value) in stanza.lines().filter_map(|line| line.split_once(": ")) {
        match key {
            "Package" => value.clone_into(&mut listed.name),
            "Version" => value.clone_into(&mut listed.version),
            "Filename" => value.clone_into(&mut listed.path),
            "SHA256" => value.clone_into(&mut listed.sha256),
            "Depends" | "Pre-Depends" => listed.needs.extend(value.split(',').map(alternatives)),
            "Provides" => provides.extend(value.split(',').flat_map(alternatives)),
            _ => {}
        }
    }
    (listed, provides)
}

/// `libc6 (>= 2.38) | libc6.1:any` without versions and architectures.
fn alternatives(need: &str) -> Vec<String> {
    let bare = |name: &str| name.trim().split([' ', '(', ':']).next().unwrap_or_default().to_owned();
    need.split('|').map(bare).filter(|name| !name.is_empty()).collect()
}

/// `9.7.4` of `9.7.4-2`, `11.8.9` of `1:11.8.9+ds-4`, `19rc1` of `19~rc1-1`: what its makers call it.
pub fn upstream(version: &str) -> String {
    let version = version.split_once(':').map_or(version, |(_, rest)| rest);
    let version = version.rsplit_once('-').map_or(version, |(upstream, _)| upstream);
    let version = version.split_once('+').map_or(version, |(upstream, _)| upstream);
    version.replace('~', "")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::debian) const TEXT: &str = "Package: serverd\nVersion: 1:9.7.4+ds-2\nDepends: libx1 (>= 2), \
        perl:any, gone | liby-new\nPre-Depends: libc6\nFilename: pool/main/s/serverd.deb\nSHA256: aa\n\n\
        Package: libx1\nVersion: 2\nDepends: libc6, libx1\nFilename: pool/main/x/libx1.deb\nSHA256: bb\n\n\
        Package: liby2\nVersion: 3\nProvides: liby-new (= 3), liby\nFilename: pool/main/y/liby2.deb\nSHA256: cc\n\n\
        Package: libc6\nVersion: 4\nDescription: the\n C library\nFilename: pool/main/c/libc6.deb\nSHA256: dd\n\n";

    #[test]
    fn reads_stanzas() {
        let suite = Suite::parse(TEXT);
        let server = suite.find("serverd").expect("serverd");
        assert_eq!(server.needs, [vec!["libx1"], vec!["perl"], vec!["gone", "liby-new"], vec!["libc6"]]);
        assert_eq!(suite.find("liby-new").map(|listed| listed.name.as_str()), Some("liby2"));
        assert_eq!(suite.find("perl"), None);
    }

    #[test]
    fn finds_the_index_in_a_release() {
        let sum = "e".repeat(64);
        let release = format!(
            "SHA256:\n {sum} 12 main/binary-amd64/Packages\n {sum} 12 {INDEX}\nMD5Sum:\n {} 12 {INDEX}\n",
            &sum[..32]
        );
        assert_eq!(listed_sum(&release), Some(sum));
        assert_eq!(listed_sum("SHA256:\n"), None);
    }

    #[test]
    fn versions_of_makers() {
        let versions = ["9.7.4-2", "1:11.8.9+ds-4", "19~rc1-1", "1:10.11.19-0+deb12u1", "3"].map(upstream);
        assert_eq!(versions, ["9.7.4", "11.8.9", "19rc1", "10.11.19", "3"]);
    }
}

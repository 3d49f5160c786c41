//! The mirror of Debian to fetch from: `HUMDRUM_DEBIAN_MIRROR`, else the one that apt on this host uses. No address is
//! written here.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use humdrum_contract::Outcome;
use humdrum_model::Fault;

/// Addresses of Debian's archive and of its security updates, without a slash at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirror {
    main: String,
    security: String,
}

impl Mirror {
    pub(super) fn new(main: &str, security: Option<&str>) -> Self {
        let main = main.trim_end_matches('/').to_owned();
        // Mirrors keep the two side by side.
        let beside =
            || format!("{}/debian-security", main.rsplit_once('/').map_or(main.as_str(), |(site, _)| site));
        let security = security.map_or_else(beside, |url| url.trim_end_matches('/').to_owned());
        Self { main, security }
    }

    /// Address of a file of the pool. The pool of security updates begins with `pool/updates`.
    pub(super) fn url(&self, path: &str) -> String {
        let root = if path.starts_with("pool/updates/") { &self.security } else { &self.main };
        format!("{root}/{path}")
    }

    /// Address of a file that describes a suite.
    pub(super) fn of_suite(&self, suite: &str, file: &str) -> String {
        let root = if suite.ends_with("-security") { &self.security } else { &self.main };
        format!("{root}/dists/{suite}/{file}")
    }
}

/// The mirror to fetch from.
///
/// # Errors
/// Usage, when the variable holds no address, and when nothing on this host names a mirror of Debian.
pub(super) fn find() -> Outcome<Mirror> {
    choose(env::var("HUMDRUM_DEBIAN_MIRROR").ok().filter(|url| !url.is_empty()), targets)
}

fn choose(named: Option<String>, targets: impl FnOnce() -> Vec<Target>) -> Outcome<Mirror> {
    match named {
        Some(url) if is_http(&url) => return Ok(Mirror::new(&url, None)),
        Some(url) => {
            let what = format!("HUMDRUM_DEBIAN_MIRROR={url} is not the address of a mirror");
            return Err(Fault::usage(what).hint("it starts with https:// or http://"));
        }
        None => {}
    }
    let targets: Vec<Target> = targets().into_iter().filter(|target| is_http(&target.uri)).collect();
    let find = |kind: Kind| {
        targets.iter().find(|target| target.kind() == Some(kind)).map(|target| target.uri.as_str())
    };
    let main = find(Kind::Main).ok_or_else(|| {
        Fault::usage(
            "this release comes as a Debian package, and nothing on this host names a mirror of Debian",
        )
        .hint("set HUMDRUM_DEBIAN_MIRROR to one, the folder that holds dists/ and pool/")
    })?;
    Ok(Mirror::new(main, find(Kind::Security)))
}

/// One source that apt is set to.
struct Target {
    /// What its Release file says it is; empty where that was never fetched.
    label: String,
    uri: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Main,
    Security,
}

impl Target {
    /// By its label, else by its address's last part, which all mirrors keep.
    fn kind(&self) -> Option<Kind> {
        let last = self.uri.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        match (self.label.as_str(), last) {
            ("Debian", _) | ("", "debian") => Some(Kind::Main),
            ("Debian-Security", _) | ("", "debian-security") => Some(Kind::Security),
            _ => None,
        }
    }
}

/// As apt says, else as its files say.
fn targets() -> Vec<Target> {
    let format = ["indextargets", "--format", "$(LABEL)|$(REPO_URI)", "Created-By: Packages"];
    let output = Command::new("apt-get").args(format).output();
    let said =
        output.ok().filter(|output| output.status.success()).map(|output| output.stdout).unwrap_or_default();
    let of_line = |line: &str| {
        let (label, uri) = line.split_once('|')?;
        Some(Target { label: label.to_owned(), uri: uri.to_owned() })
    };
    let found: Vec<Target> = String::from_utf8_lossy(&said).lines().filter_map(of_line).collect();
    if found.is_empty() { source_files().iter().flat_map(|text| uris(text)).collect() } else { found }
}

fn source_files() -> Vec<String> {
    let parts =
        fs::read_dir("/etc/apt/sources.list.d").into_iter().flatten().flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = parts.collect();
    paths.sort();
    paths.insert(0, "/etc/apt/sources.list".into());
    paths.iter().filter_map(|path| fs::read_to_string(path).ok()).collect()
}

/// `deb [options] URI suite …` and `URIs: URI …`.
fn uris(text: &str) -> Vec<Target> {
    let lines =
        text.lines().map(str::trim).filter(|line| line.starts_with("deb ") || line.starts_with("URIs:"));
    let words = lines.flat_map(|line| line.split_ascii_whitespace().filter(|word| is_http(word)));
    words.map(|uri| Target { label: String::new(), uri: uri.to_owned() }).collect()
}

fn is_http(url: &str) -> bool {
    ["http://", "https://"].iter().any(|start| url.len() > start.len() && url.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(label: &str, uri: &str) -> Target {
        Target { label: label.into(), uri: uri.into() }
    }

    #[test]
    fn the_variable_wins_and_is_checked() {
        let mirror = choose(Some("http://here/debian/".into()), Vec::new).expect("named");
        assert_eq!(mirror.url("pool/main/x.deb"), "http://here/debian/pool/main/x.deb");
        assert_eq!(mirror.url("pool/updates/x.deb"), "http://here/debian-security/pool/updates/x.deb");
        assert_eq!(mirror.of_suite("sid", "Release"), "http://here/debian/dists/sid/Release");
        assert_eq!(choose(Some("here".into()), Vec::new).expect_err("no address").exit_code(), 2);
    }

    #[test]
    fn apts_own_sources_are_told_apart() {
        let targets = || {
            vec![
                target("Other", "https://packages.example/apt/"),
                target("Debian-Security", "http://s/secure/"),
                target("Debian", "mirror+file:/etc/list"),
                target("Debian", "http://m/deb/"),
            ]
        };
        let mirror = choose(None, targets).expect("found");
        assert_eq!(mirror, Mirror { main: "http://m/deb".into(), security: "http://s/secure".into() });
        assert_eq!(mirror.of_suite("x-security", "R"), "http://s/secure/dists/x-security/R");
    }

    #[test]
    fn source_files_are_read_where_there_is_no_apt() {
        let text = "# deb http://no/debian x main\ndeb [arch=amd64] http://a/debian bookworm main\n\
                    Types: deb\nURIs: http://b/debian-security http://c/ubuntu\n";
        let found: Vec<String> = uris(text).into_iter().map(|target| target.uri).collect();
        assert_eq!(found, ["http://a/debian", "http://b/debian-security", "http://c/ubuntu"]);
        assert_eq!(choose(None, || uris(text)).expect("found").security, "http://b/debian-security");
        let fault = choose(None, || uris("URIs: http://c/ubuntu")).expect_err("none");
        assert!(fault.exit_code() == 2 && fault.hint.expect("hint").contains("HUMDRUM_DEBIAN_MIRROR"));
    }
}

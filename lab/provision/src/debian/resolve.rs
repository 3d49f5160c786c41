//! Finds the packages that a program needs to run: of everything its package depends on, only shared libraries.
//!
//! A server's package depends on Perl, debconf and systemd, which are needed to install it. A program that runs from a
//! folder needs shared libraries only, and Debian policy names their packages `lib…`.

use std::collections::BTreeMap;

use humdrum_contract::Outcome;
use humdrum_model::Fault;

use super::index::{Listed, Suite};
use super::package::Package;

/// The program that makes others start from a folder; it comes along from the same suite.
const PATCHER: &str = "patchelf";

/// The package's version, and all packages, by name. It is taken from the first suite that has it, its libraries
/// from the last: `experimental` and `sid`, a stable release's updates and the release.
pub(super) fn closure(suites: &[Suite], package: &str) -> Outcome<(String, Vec<Package>)> {
    let missing = |name: &str| {
        Fault::environment(format!("these suites of Debian have no package {name}"))
            .hint("`humdrum versions` lists what is pinned and cached")
    };
    let root = suites.iter().find_map(|suite| suite.find(package)).ok_or_else(|| missing(package))?;
    let patcher = library(suites, PATCHER).ok_or_else(|| missing(PATCHER))?;
    let mut found: BTreeMap<&str, &Listed> = BTreeMap::new();
    let mut open = vec![root, patcher];
    while let Some(listed) = open.pop() {
        if found.insert(&listed.name, listed).is_some() {
            continue;
        }
        for need in listed.needs.iter().filter(|need| need.iter().any(|name| name.starts_with("lib"))) {
            let taken = need.iter().find_map(|name| library(suites, name));
            open.push(taken.ok_or_else(|| missing(&need.join(" or ")))?);
        }
    }
    let packages =
        found.values().map(|listed| Package { path: listed.path.clone(), sha256: listed.sha256.clone() });
    Ok((root.version.clone(), packages.collect()))
}

fn library<'a>(suites: &'a [Suite], name: &str) -> Option<&'a Listed> {
    suites.iter().rev().find_map(|suite| suite.find(name))
}

#[cfg(test)]
mod tests {
    use super::super::index::tests::TEXT;
    use super::*;

    const TOOL: &str =
        "Package: patchelf\nVersion: 1\nDepends: libc6\nFilename: pool/main/p/patchelf.deb\nSHA256: ee\n\n";

    #[test]
    fn follows_libraries_and_nothing_else() {
        let newer = "Package: serverd\nVersion: 10-1\nDepends: libx1\nFilename: pool/n/serverd.deb\nSHA256: ff\n\n\
                     Package: libx1\nVersion: 9\nFilename: pool/n/libx1.deb\nSHA256: 99\n";
        let base = Suite::parse(&format!("{TEXT}{TOOL}"));
        let (version, packages) = closure(std::slice::from_ref(&base), "serverd").expect("closure");
        let paths: Vec<&str> =
            packages.iter().map(|package| package.path.rsplit('/').next().expect("name")).collect();
        assert_eq!(version, "1:9.7.4+ds-2");
        assert_eq!(paths, ["libc6.deb", "libx1.deb", "liby2.deb", "patchelf.deb", "serverd.deb"]);
        let (version, packages) = closure(&[Suite::parse(newer), base], "serverd").expect("closure");
        assert_eq!(version, "10-1");
        assert!(packages.iter().any(|package| package.path == "pool/n/serverd.deb"));
        assert!(
            packages.iter().any(|package| package.path == "pool/main/x/libx1.deb"),
            "libraries of the last"
        );
    }

    #[test]
    fn says_what_is_missing() {
        let suite = Suite::parse(TEXT);
        assert!(
            closure(std::slice::from_ref(&suite), "serverd").expect_err("patcher").what.contains("patchelf")
        );
        assert!(
            closure(&[Suite::parse(TOOL)], "mysqld").expect_err("root").what.contains("no package mysqld")
        );
        let broken = Suite::parse(&format!(
            "{TEXT}{TOOL}Package: a\nVersion: 1\nDepends: libz\nFilename: p\nSHA256: s\n"
        ));
        assert!(closure(&[broken], "a").expect_err("library").what.contains("libz"));
    }
}

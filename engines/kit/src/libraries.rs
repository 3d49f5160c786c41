//! Shared libraries that a build needs and this host lacks, because distributions no longer have those of old
//! builds.
//!
//! The kit starts the server for its version, and the loader names the missing libraries. They are unpacked
//! from a pinned Debian package into a folder beside the build, which only the engine's own servers use.

use std::fs;
use std::path::Path;
use std::process::Output;

use humdrum_contract::{Dirs, Outcome, Progress, Update};
use humdrum_model::Fault;
use humdrum_provision::debian::{self, Package};

/// Below a build's folder: libraries that were put beside it.
pub const FOLDER: &str = "humdrum-libs";

/// Library, package, its SHA-256. They are from Debian 12, which has all of them.
const KNOWN: [(&str, &str, &str); 3] = [
    ("libaio.so.1", "pool/main/liba/libaio/libaio1_0.3.113-4_amd64.deb", LIBAIO1),
    ("libcrypt.so.1", "pool/main/libx/libxcrypt/libcrypt1_4.4.33-2_amd64.deb", LIBCRYPT1),
    ("libnuma.so.1", "pool/main/n/numactl/libnuma1_2.0.16-1_amd64.deb", LIBNUMA1),
];
const LIBAIO1: &str = "d1476e4beab3d85f8a7d31de94c27472711ed3ef399ce70708e24b259426125b";
const LIBCRYPT1: &str = "f5f60a5cdfd4e4eaa9438ade5078a57741a7a78d659fcb0c701204f523e8bd29";
const LIBNUMA1: &str = "639e1ab6bd66ead40db8a22c332d7199679fa22db261cac34444eb8eb4c17dda";

/// Adds to the build in `folder` the libraries that its server lacks. `ask` starts the server for its version.
///
/// # Errors
/// Environment, naming the library that is missing.
pub fn complete(
    folder: &Path,
    name: &str,
    dirs: &Dirs,
    progress: &dyn Progress,
    ask: impl Fn() -> Outcome<Output>,
) -> Outcome<()> {
    let missing = || {
        let said = ask()?;
        let failed = !said.status.success();
        Ok(failed.then(|| missing_in(&String::from_utf8_lossy(&said.stderr))).flatten())
    };
    let mut packages: Vec<Package> = Vec::new();
    while let Some(library) = missing()? {
        let known = KNOWN.iter().find(|(known, ..)| *known == library);
        let package =
            known.map(|(_, path, sha256)| Package { path: (*path).into(), sha256: (*sha256).into() });
        let package = package.filter(|package| !packages.contains(package)).ok_or_else(|| {
            Fault::environment(format!("{name} needs {library}, which this host does not have"))
                .hint("install your distribution's package that holds it")
        })?;
        packages.push(package);
        progress.update(Update::Note(&format!(
            "{name}: {library} is not on this host; a copy goes beside the build"
        )));
        let own = folder.join(FOLDER);
        debian::libraries(&packages, &own, dirs, progress)
            .map_err(|fault| fault.at(format!("{library}, which this host does not have")))?;
    }
    Ok(())
}

/// The library that the loader does not find: `libaio.so.1` of `mysqld: error while loading shared libraries: libaio.so.1: cannot open shared object file …`.
pub fn missing_in(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("error while loading shared libraries: ")?;
    let (library, why) = rest.split_once(": ")?;
    why.starts_with("cannot open").then(|| library.to_owned())
}

/// The libraries that were put beside a build, for its facts.
pub fn beside(folder: &Path) -> Option<String> {
    let entries = fs::read_dir(folder.join(FOLDER)).ok()?.flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    (!names.is_empty()).then(|| format!("with {} of Debian 12 beside it", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hears_what_the_loader_misses() {
        let said = "/b/mysqld: error while loading shared libraries: libaio.so.1: cannot open shared object file: No such file";
        assert_eq!(missing_in(said).as_deref(), Some("libaio.so.1"));
        assert_eq!(missing_in("mysqld: unknown option"), None);
    }

    #[test]
    fn known_libraries_are_in_order_and_pinned() {
        assert!(KNOWN.is_sorted());
        assert!(KNOWN.iter().all(|(_, path, sum)| path.starts_with("pool/main/") && sum.len() == 64));
    }
}

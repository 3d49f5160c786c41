//! Sources of a release as a source package of Debian: found and fetched by apt, with the user's own settings, and
//! checked by apt. Only the makers' own archive is used; Debian's changes to it are left out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use humdrum_contract::{Dirs, Outcome, Progress, Update};
use humdrum_model::Fault;

use super::{Sources, run};
use crate::{checksum, debian, dirs, lock};

/// A source package of one release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePackage {
    /// As apt calls it (`postgresql-17`).
    pub name: String,
    /// Debian's version of it.
    version: String,
    /// The makers' version.
    pub release: String,
    /// Other releases that apt knows of it.
    others: Vec<String>,
}

/// The package of a release, or of the newest release that begins like it; asks apt's lists on this host only.
///
/// # Errors
/// Usage: apt has no list of source packages, or has another release.
pub fn find(name: &str, release: &str) -> Outcome<SourcePackage> {
    choose(name, release, run(Command::new("apt-cache").args(["showsrc", "--only-source", name])))
}

fn choose(name: &str, release: &str, said: Result<Vec<u8>, String>) -> Outcome<SourcePackage> {
    let text = said.map(|said| String::from_utf8_lossy(&said).into_owned());
    let text = match &text {
        Ok(text) => text.as_str(),
        Err(said) if said.contains("deb-src") => return Err(no_lists(name)),
        Err(_) => "",
    };
    let versions: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("Version: ")).collect();
    let series = format!("{release}.");
    let fits = |version: &&&str| {
        let upstream = debian::upstream(version);
        upstream == release || upstream.starts_with(&series)
    };
    // Before the first release of a series there are pre-releases of it.
    let comes = |version: &&&str| {
        let rest = debian::upstream(version);
        rest.strip_prefix(release).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    let newest = |fits: &dyn Fn(&&&str) -> bool| {
        versions.iter().filter(|one| fits(one)).max_by_key(|version| numbers(version))
    };
    let found = newest(&fits).or_else(|| newest(&comes));
    let version = found.ok_or_else(|| not_listed(name, release, &versions))?;
    let (name, release) = (name.to_owned(), debian::upstream(version));
    let others = releases(&versions).into_iter().filter(|other| *other != release).collect();
    Ok(SourcePackage { name, version: (*version).to_owned(), release, others })
}

/// `15.18-0+deb12u1` as 15, 18, 0, 12, 1: larger is newer, among versions of one package. Alphas come before betas, and these before
/// candidates of a release.
fn numbers(version: &str) -> Vec<u64> {
    let stages = version.replace("alpha", ".0.").replace("beta", ".1.").replace("rc", ".2.");
    stages.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
}

fn no_lists(name: &str) -> Fault {
    Fault::usage(format!("apt on this host has no lists of source packages, so that {name} cannot be found"))
        .hint(
            "repeat the `deb` lines of apt's sources with `deb-src` (or write `Types: deb deb-src`), then \
             `apt-get update`; or name sources that you have: ENGINE@src:PATH",
        )
}

/// The makers' versions, each once, in the order in which apt lists the first of each.
fn releases(versions: &[&str]) -> Vec<String> {
    let mut releases: Vec<String> = Vec::new();
    for release in versions.iter().map(|version| debian::upstream(version)) {
        if !releases.contains(&release) {
            releases.push(release);
        }
    }
    releases
}

fn not_listed(name: &str, release: &str, versions: &[&str]) -> Fault {
    let there = releases(versions);
    let fault = Fault::usage(format!("apt's lists have no source package {name} of release {release}"));
    if there.is_empty() {
        let hint = "add a suite that has it as a `deb-src` line to apt's sources, then `apt-get update`; or name \
                    sources that you have: ENGINE@src:PATH";
        return fault.hint(hint);
    }
    fault.hint(format!("they have {}; `apt-get update` looks for newer ones", there.join(", ")))
}

impl SourcePackage {
    /// Fetches and unpacks it, or finds it unpacked.
    ///
    /// # Errors
    /// Environment: network, disk, a damaged archive; interrupted.
    pub fn get(&self, dirs: &Dirs, progress: &dyn Progress) -> Outcome<Sources> {
        let what = format!("the sources of {} {}", self.name, self.release);
        let folder = dirs::downloads(dirs).join(format!("{}-{}-sources", self.name, self.version));
        let name = folder.display().to_string();
        let _lock = lock::take(Path::new(&format!("{name}.lock")), &what, &dirs.interrupt, progress)?;
        let sum = folder.join(CHECKSUM);
        if !sum.exists() {
            self.fetch(&folder, &what, dirs, progress)?;
        }
        let sha256 = fs::read_to_string(&sum).map_err(|error| refused(&sum, &error))?.trim().to_owned();
        let about =
            format!("the source package {} {}, sha256 of its archive {sha256}", self.name, self.version);
        Ok(Sources::unpacked(folder.join(TREE), sha256, about))
    }

    /// What to do where the archive cannot be had.
    fn elsewhere(&self) -> String {
        let again = "`apt-get update`, then try again: not every mirror has all that is listed";
        if self.others.is_empty() {
            return format!("{again}; or name sources that you have: ENGINE@src:PATH");
        }
        format!("{again}; or name another release: apt's lists have {}", self.others.join(", "))
    }

    fn fetch(&self, folder: &Path, what: &str, dirs: &Dirs, progress: &dyn Progress) -> Outcome<()> {
        let making = PathBuf::from(format!("{}.making", folder.display()));
        let _ = fs::remove_dir_all(&making);
        dirs::make_folder(&making.join(TREE))?;
        progress.update(Update::Step(&format!("fetching {what} by apt-get source")));
        let mut apt = Command::new("apt-get");
        apt.args(["source", "--download-only", "--tar-only", "-qq", "-o", "APT::Sandbox::User=root"]);
        apt.arg(format!("{}={}", self.name, self.version)).current_dir(&making);
        let failed = |said: String| {
            let fault = Fault::environment(format!("cannot get {what}: {said}"));
            dirs.interrupt.check().err().unwrap_or_else(|| fault.hint(self.elsewhere()))
        };
        run(&mut apt).map_err(failed)?;
        let archive = archive_in(&making).ok_or_else(|| failed("apt-get fetched no archive".into()))?;
        progress.update(Update::Step(&format!("unpacking {what}")));
        let mut tar = Command::new("tar");
        tar.args(["--no-same-owner", "--strip-components=1", "-xf"])
            .arg(&archive)
            .arg("-C")
            .arg(making.join(TREE));
        run(&mut tar).map_err(failed)?;
        let sum = checksum::sha256_of(&archive).map_err(|error| refused(&archive, &error))?;
        fs::remove_file(&archive).map_err(|error| refused(&archive, &error))?;
        fs::write(making.join(CHECKSUM), sum).map_err(|error| refused(&making, &error))?;
        let _ = fs::remove_dir_all(folder);
        fs::rename(&making, folder).map_err(|error| refused(folder, &error))
    }
}

/// The unpacked files.
const TREE: &str = "tree";
/// Of the archive; written last.
const CHECKSUM: &str = "sha256";

fn archive_in(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut archives = entries.filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.contains(".orig.tar.") && !name.ends_with(".asc")
    });
    archives.next()
}

fn refused(path: &Path, error: &std::io::Error) -> Fault {
    Fault::environment(format!("cannot use {}: {error}", path.display()))
        .hint("`humdrum clean --builds`, then try again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_package_of_a_release_or_series_is_chosen() {
        let listed = "Package: pg-15\nVersion: 15.9-1\n\nPackage: pg-15\nVersion: 15.18-0+deb12u1\n";
        let choose = |release: &str| choose("pg-15", release, Ok(listed.into()));
        let found = choose("15").expect("newest");
        assert_eq!((&*found.version, &*found.release), ("15.18-0+deb12u1", "15.18"));
        assert!(found.elsewhere().ends_with("apt's lists have 15.9"), "{}", found.elsewhere());
        assert_eq!(choose("15.9").expect("named").version, "15.9-1");
        // Two suites may have packages of one release, with another one between them.
        let suites = format!("Version: 15.9-3\n{listed}");
        let found = super::choose("pg-15", "15", Ok(suites.into())).expect("newest");
        assert!(found.elsewhere().ends_with("apt's lists have 15.9"), "{}", found.elsewhere());
        let fault = choose("15.1").expect_err("no prefix of a number");
        assert!(fault.exit_code() == 2 && fault.hint.expect("hint").contains("15.9, 15.18"));
    }

    #[test]
    fn a_series_without_a_release_has_its_newest_pre_release() {
        let listed = "Version: 19~beta2-1\nVersion: 19~rc1-1\nVersion: 19~beta10-1\nVersion: 190.1-1\n";
        let choose =
            |listed: &str, release: &str| choose("pg-19", release, Ok(listed.into())).expect("there").release;
        assert_eq!(choose(listed, "19"), "19rc1");
        assert_eq!(choose(listed, "19beta2"), "19beta2");
        assert_eq!(choose(&format!("{listed}Version: 19.0-1\n"), "19"), "19.0");
    }

    #[test]
    fn an_apt_without_source_lists_says_what_to_do() {
        let fault = choose("it", "1", Err("E: You must put some 'deb-src' URIs in your sources.list".into()));
        let fault = fault.expect_err("no lists");
        assert!(fault.exit_code() == 2 && fault.hint.expect("hint").contains("Types: deb deb-src"));
        let fault = choose("it", "1", Err("E: Unable to locate package it".into())).expect_err("unknown");
        assert!(fault.hint.expect("hint").contains("apt-get update"));
    }
}

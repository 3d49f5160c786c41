//! The folder of a site. The old site stays until the new one is complete, and other files are left alone.

use std::fs;
use std::path::{Path, PathBuf};

use humdrum_model::Fault;

/// Tells a site of ours from another's.
const MARK: &str = ".humdrum-site";

/// What a site is made of. Anything else in its folder (a repository's `.git`, a host's `CNAME`) is left alone.
const PARTS: [&str; 7] = [MARK, "index.html", "feed.xml", "published.html", "engines", "tests", "runs"];

/// Where a site grows before it takes the place of the old one, in its own folder so that both are on one file system.
const FRESH: &str = ".humdrum-site-new";

/// A site that is being written. Dropping it before it is put in place leaves the old site as it was.
#[derive(Debug)]
pub struct SiteFolder {
    target: PathBuf,
    fresh: PathBuf,
}

impl SiteFolder {
    /// Begins a new site for `target`.
    ///
    /// # Errors
    /// Usage when the folder holds something else; environment when it cannot be written.
    pub fn begin(target: &Path) -> Result<Self, Fault> {
        if is_of_others(target) {
            let what = format!("{} holds something other than a site of humdrum's", target.display());
            return Err(Fault::usage(what).hint("name another folder; it is made if it does not exist"));
        }
        let site = Self { target: target.to_path_buf(), fresh: target.join(FRESH) };
        if site.fresh.exists() {
            fs::remove_dir_all(&site.fresh).map_err(|error| refused("remove", &site.fresh, &error))?;
        }
        Ok(site)
    }

    /// Writes one file of the new site; `path` is relative to the site.
    ///
    /// # Errors
    /// Environment, when it cannot be written.
    pub fn write(&self, path: &str, text: &str) -> Result<(), Fault> {
        let path = self.fresh.join(path);
        path.parent().map_or(Ok(()), make)?;
        fs::write(&path, text).map_err(|error| refused("write", &path, &error))
    }

    /// Exchanges the parts of the old site for the new ones.
    ///
    /// # Errors
    /// Environment, when a part cannot be replaced.
    pub fn put_in_place(self) -> Result<(), Fault> {
        self.write(MARK, "Written by humdrum; a later `humdrum site` replaces this folder.\n")?;
        for part in PARTS {
            let (new, place) = (self.fresh.join(part), self.target.join(part));
            let old = self.fresh.join(format!("{part}.old"));
            if place.exists() {
                fs::rename(&place, &old).map_err(|error| refused("replace", &place, &error))?;
            }
            if !new.exists() {
                // A site without releases has no engines' pages.
                continue;
            }
            if let Err(error) = fs::rename(&new, &place) {
                let _ = fs::rename(&old, &place);
                return Err(refused("write", &place, &error));
            }
        }
        Ok(())
    }
}

impl Drop for SiteFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.fresh);
        // Removed only if nothing was put into it.
        let _ = fs::remove_dir(&self.target);
    }
}

/// Whether a folder cannot become a site without harm to what it holds.
fn is_of_others(target: &Path) -> bool {
    let holds = |part: &&str| target.join(part).exists();
    if target.is_dir() { !holds(&MARK) && PARTS.iter().any(holds) } else { target.exists() }
}

fn make(folder: &Path) -> Result<(), Fault> {
    fs::create_dir_all(folder).map_err(|error| refused("make", folder, &error))
}

fn refused(verb: &str, path: &Path, error: &std::io::Error) -> Fault {
    Fault::environment(format!("cannot {verb} {}: {error}", path.display()))
}

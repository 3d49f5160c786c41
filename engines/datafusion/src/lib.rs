//! Apache DataFusion with its own sort, and with that of `sort/skipsort-datafusion` (`+skipsort`).
//!
//! DataFusion is some 300 crates, so it is no part of `humdrum`: its worker is a program of its own, `humdrum-datafusion`, in
//! `worker/`, which `cargo xtask datafusion worker` builds.
//!
//! ```text
//!   program.rs   finds the worker, and asks it which DataFusion it has
//! ```

mod program;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use humdrum_contract::{
    Configuration, Dirs, Engine, Installation, Outcome, Progress, Release, Server, Sizing,
};
use humdrum_engine_kit::cache;
use humdrum_engine_orderby::{Begin, Build, OrderServer, settings};
use humdrum_model::{Fault, Interface, Place, Setting, Subject, SubjectFacts, Timings};
use humdrum_provision::checksum;

use program::Worker;

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Datafusion;

/// The series that the worker in this repository is built with.
const SERIES: &str = "55";
/// The configuration that sorts with skipsort.
const SKIPSORT: &str = "skipsort";
/// A limit up to which it leaves a query to DataFusion's own operator.
const TOP_K_MOST: &str = "skipsort.top_k_most";
/// Bytes of rows that stay in the batches in which they came.
const IN_BATCHES_MOST: &str = "skipsort.in_batches_most";

impl Engine for Datafusion {
    fn name(&self) -> &'static str {
        "datafusion"
    }

    fn about(&self) -> &'static str {
        "Apache DataFusion 55, with its own sort or skipsort's; its worker is built on demand"
    }

    fn interface(&self) -> Interface {
        Interface::OrderBy
    }

    fn releases(&self, _dirs: &Dirs) -> Vec<Release> {
        let found = program::find().ok();
        let version = found.as_ref().map_or_else(|| SERIES.to_owned(), |worker| worker.version.clone());
        let origin = "sort/skipsort-datafusion, built by `cargo xtask datafusion worker`".to_owned();
        vec![Release { version, origin, pinned: true, cached: found.is_some() }]
    }

    fn configurations(&self) -> Vec<Configuration> {
        let about = "sorts with the operator of skipsort-datafusion instead of DataFusion's own".to_owned();
        vec![Configuration { name: SKIPSORT.to_owned(), about }]
    }

    /// A worker starts in some 10 ms. Measured, a million rows: made in 2 s.
    fn timings(&self) -> Timings {
        Timings {
            create_seconds: 0.1,
            restart_seconds: 0.1,
            load_seconds_per_row: 4.0e-6,
            copy: None,
            ..Timings::NONE
        }
    }

    fn check(&self, subject: &Subject, _dirs: &Dirs) -> Outcome<String> {
        found(subject).map(|(worker, _)| worker.version)
    }

    fn install(&self, subject: &Subject, dirs: &Dirs, _: &dyn Progress) -> Outcome<Box<dyn Installation>> {
        let (worker, settings) = found(subject)?;
        let file = worker.program;
        let checksum = checksum::sha256_of(&file).map_err(|error| cache::unusable(&file, &error))?;
        let facts = SubjectFacts {
            version: worker.version,
            origin: format!("the worker {}, sha256 {checksum}", file.display()),
            ..SubjectFacts::default()
        };
        let begin = begin(file.clone());
        let run_as = dirs.run_as;
        let build = Build { engine: "datafusion", facts, checksum, settings, run_as, begin: Arc::new(begin) };
        Ok(Box::new(Installed { file, build }))
    }
}

/// Where a program happens to lie in memory must not pass for its speed, so it is copied.
fn begin(file: PathBuf) -> impl Fn(&Path) -> Outcome<Begin> {
    move |folder| {
        let program = humdrum_provision::program::place_alone(&file, folder)?;
        Ok(Begin { program, args: Vec::new(), env: Vec::new() })
    }
}

/// The worker of a subject, and its settings.
///
/// # Errors
/// Usage, with what to type instead.
fn found(subject: &Subject) -> Outcome<(Worker, Vec<(String, String)>)> {
    let settings = settings_of(&subject.settings)?;
    let worker = match &subject.place {
        Place::Version(version) => program::of_version(version)?,
        Place::Folder(path) => program::at(path)?,
        Place::Source { .. } => {
            return Err(Fault::usage("datafusion is built by `cargo xtask datafusion worker`, from this repository")
                .hint("build it there with the DataFusion of yours, then name the program: datafusion@/path/humdrum-datafusion"));
        }
        Place::External(_) => {
            return Err(Fault::usage("datafusion is a library: there is no server to connect to")
                .hint(format!("type datafusion@{SERIES}, or datafusion@/path/humdrum-datafusion")));
        }
    };
    Ok((worker, settings))
}

fn settings_of(typed: &[Setting]) -> Outcome<Vec<(String, String)>> {
    let with_skipsort = typed.contains(&Setting::Named(SKIPSORT.to_owned()));
    let refused = |key: &str| match key {
        TOP_K_MOST | IN_BATCHES_MOST if with_skipsort => None,
        TOP_K_MOST | IN_BATCHES_MOST => Some(format!("it is for +{SKIPSORT}")),
        _ if key.starts_with("datafusion.") => None,
        _ => Some("options are called as in DataFusion, datafusion.execution.batch_size".to_owned()),
    };
    let mut pairs = settings::pairs("datafusion", typed, &[SKIPSORT], refused)?;
    if with_skipsort {
        pairs.push((SKIPSORT.to_owned(), "on".to_owned()));
        pairs.sort();
    }
    Ok(pairs)
}

struct Installed {
    file: PathBuf,
    build: Build,
}

impl Installation for Installed {
    fn facts(&self) -> SubjectFacts {
        self.build.facts.clone()
    }

    fn place(&self) -> Option<PathBuf> {
        Some(self.file.clone())
    }

    fn create(&self, home: &Path, _sizing: &Sizing) -> Outcome<Box<dyn Server>> {
        Ok(Box::new(OrderServer::create(self.build.clone(), home)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(place: Place, settings: Vec<Setting>) -> Fault {
        let subject = Subject { label: "it".into(), engine: "datafusion".into(), place, settings };
        let fault = found(&subject).map(|_| ()).expect_err("refused");
        assert_eq!((fault.exit_code(), fault.hint.is_some()), (2, true), "{fault}");
        fault
    }

    fn value(key: &str) -> Setting {
        Setting::Value { key: key.into(), value: "1".into() }
    }

    #[test]
    fn places_that_are_no_worker_are_refused() {
        assert!(refused(Place::Folder("/no/such".into()), Vec::new()).what.contains("/no/such"));
        assert!(refused(Place::External("x://y".into()), Vec::new()).what.contains("library"));
        let source = Place::Source { path: ".".into(), revision: None };
        assert!(refused(source, Vec::new()).what.contains("xtask"));
    }

    #[test]
    fn settings_are_datafusions_own_and_skipsort_is_one() {
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let skipsort = || Setting::Named(SKIPSORT.into());
        let typed = [value("datafusion.execution.batch_size"), skipsort(), value(TOP_K_MOST)];
        let expected =
            [pair("datafusion.execution.batch_size", "1"), pair(SKIPSORT, "on"), pair(TOP_K_MOST, "1")];
        assert_eq!(settings_of(&typed).expect("settings"), expected);
        for odd in
            [value("batch_size"), value(TOP_K_MOST), value(IN_BATCHES_MOST), Setting::Named("fast".into())]
        {
            assert_eq!(settings_of(&[odd]).expect_err("refused").exit_code(), 2);
        }
    }

    /// The series is that of the lock file with which the worker is built.
    #[test]
    fn the_series_is_that_of_the_workspace() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sort/skipsort-datafusion/Cargo.lock");
        let lock = std::fs::read_to_string(root).expect("a lock file");
        let version = lock.split("name = \"datafusion\"\nversion = \"").nth(1).expect("datafusion");
        assert!(version.starts_with(&format!("{SERIES}.")), "{}", &version[..10]);
    }
}

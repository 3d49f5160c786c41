//! Sorts of byte keys that are compiled into this program: skipsort and its rivals, each in a process of its own.
//!
//! ```text
//!   lib.rs      the engine: a release is a sort          server.rs   a worker as a server
//!   wire.rs     messages to and from a worker            session.rs  the lab's end of a connection
//!   worker.rs   the worker's process                     keys.rs     its keys, and the loop that is timed
//! ```

mod keys;
mod server;
mod session;
mod wire;
mod worker;

use std::path::Path;
use std::process::ExitCode;

use humdrum_contract::{
    Configuration, Dirs, Engine, Installation, Outcome, Progress, Release, Server, Sizing,
};
use humdrum_engine_kit::fingerprint;
use humdrum_model::{Fault, Interface, Place, Subject, SubjectFacts, Timings};
use skipsort_rivals::{RIVALS, Rival};

use server::SortServer;

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sorts;

/// Sorts that cannot stand beside the others, because the lab binds what serves a client to one processor, or because they
/// get their memory before they are timed.
const LEFT_OUT: [&str; 3] = ["skipsort_parallel", "rayon_unstable", "skipsort_scratch"];

/// Other names of sorts.
const ALSO_CALLED: [(&str, &str); 1] = [("std", "std_unstable")];

/// Plays the worker, if this process was started as one; to be called before anything else by every program that
/// uses the engine. `None`: it was not, go on.
pub fn play_worker() -> Option<ExitCode> {
    let asked = std::env::args_os().nth(1).is_some_and(|argument| argument == worker::ARGUMENT);
    asked.then(|| ExitCode::from(worker::main()))
}

/// Sorts that give all rows in order, on one processor.
fn sorts() -> impl Iterator<Item = &'static Rival> {
    RIVALS.iter().filter(|rival| !rival.partial && !LEFT_OUT.contains(&rival.name))
}

fn find(name: &str) -> Option<&'static Rival> {
    let name = ALSO_CALLED.iter().find(|(also, _)| *also == name).map_or(name, |(_, name)| name);
    sorts().find(|rival| rival.name == name)
}

impl Engine for Sorts {
    fn name(&self) -> &'static str {
        "sorts"
    }

    fn about(&self) -> &'static str {
        "sorts of byte keys: skipsort and its rivals, compiled into humdrum"
    }

    fn interface(&self) -> Interface {
        Interface::Sort
    }

    fn releases(&self, _dirs: &Dirs) -> Vec<Release> {
        let release = |rival: &Rival| Release {
            version: rival.name.to_owned(),
            origin: rival.about.to_owned(),
            pinned: true,
            cached: true,
        };
        sorts().map(release).collect()
    }

    fn configurations(&self) -> Vec<Configuration> {
        Vec::new()
    }

    /// A worker starts in some milliseconds. Keys are made when a client opens: measured, a million keys in 0.05 to 1 s.
    fn timings(&self) -> Timings {
        Timings { create_seconds: 0.05, restart_seconds: 0.05, ..Timings::NONE }
    }

    fn check(&self, subject: &Subject, _dirs: &Dirs) -> Outcome<String> {
        named_by(subject).map(|rival| rival.name.to_owned())
    }

    fn install(&self, subject: &Subject, dirs: &Dirs, _: &dyn Progress) -> Outcome<Box<dyn Installation>> {
        Ok(Box::new(Installed { rival: named_by(subject)?, run_as: dirs.run_as }))
    }
}

/// The sort that a subject names.
///
/// # Errors
/// Usage, with what to type instead.
fn named_by(subject: &Subject) -> Outcome<&'static Rival> {
    if let Some(setting) = subject.settings.first() {
        return Err(Fault::usage(format!("a sort has no settings, and {setting} is one"))
            .hint("name the sort alone: sorts@skipsort"));
    }
    let Place::Version(name) = &subject.place else {
        return Err(Fault::usage("sorts are compiled into humdrum: there is no folder, source or URL")
            .hint("type sorts@skipsort; `humdrum versions sorts` lists them"));
    };
    find(name).ok_or_else(|| {
        let known: Vec<&str> = sorts().map(|rival| rival.name).collect();
        Fault::usage(format!("there is no sort `{name}` to compare"))
            .hint(format!("known: {}", known.join(", ")))
    })
}

struct Installed {
    rival: &'static Rival,
    run_as: Option<(u32, u32)>,
}

impl Installation for Installed {
    fn facts(&self) -> SubjectFacts {
        facts(self.rival)
    }

    fn create(&self, home: &Path, _sizing: &Sizing) -> Outcome<Box<dyn Server>> {
        Ok(Box::new(SortServer::create(self.rival, home, self.run_as)?))
    }
}

fn facts(rival: &Rival) -> SubjectFacts {
    let version = env!("CARGO_PKG_VERSION");
    SubjectFacts {
        version: rival.name.to_owned(),
        origin: format!("compiled into humdrum {version}: {}", rival.about),
        fingerprint: fingerprint(&format!("{} {version}", rival.name), &[]),
        ..SubjectFacts::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use humdrum_model::Setting;

    fn checked(place: Place, settings: Vec<Setting>) -> Outcome<String> {
        let dirs = Dirs {
            cache: "/nowhere".into(),
            runs: "/nowhere".into(),
            run_as: None,
            allow_external: false,
            reuse_trees: false,
            interrupt: humdrum_contract::Interrupt::new(),
        };
        let subject = Subject { label: "it".into(), engine: "sorts".into(), place, settings };
        Sorts.check(&subject, &dirs)
    }

    #[test]
    fn sorts_have_names_and_one_a_short_one() {
        let named = |name: &str| checked(Place::Version(name.into()), Vec::new());
        assert_eq!(named("skipsort").as_deref(), Ok("skipsort"));
        assert_eq!(named("std").as_deref(), Ok("std_unstable"));
        for none in ["skipsort_parallel", "heap_10", "quicksort"] {
            let fault = named(none).expect_err("no such sort");
            let hint = fault.hint.clone().unwrap_or_default();
            assert!(fault.exit_code() == 2 && hint.contains("std_unstable"), "{fault}");
        }
        assert!(LEFT_OUT.iter().all(|name| RIVALS.iter().any(|rival| rival.name == *name)));
    }

    #[test]
    fn what_is_no_sort_is_refused() {
        let fault = checked(Place::Folder("/opt/sort".into()), Vec::new()).expect_err("a folder");
        assert!(fault.what.contains("compiled into humdrum"), "{fault}");
        let setting = vec![Setting::Named("fast".into())];
        let fault = checked(Place::Version("skipsort".into()), setting).expect_err("a setting");
        assert!(fault.what.contains("fast"), "{fault}");
    }
}

//! The engine: its releases, its settings, its installations.

use std::path::Path;
use std::sync::Arc;

use humdrum_contract::{
    Configuration, Dirs, Engine, Installation, Outcome, Progress, Release, Server, Sizing, StatementCounter,
};
use humdrum_model::{Fault, Interface, Place, Setting, Subject, SubjectFacts, Timings};

use crate::clock::VirtualClock;
use crate::counter::FakeCounter;
use crate::noise::Key;
use crate::script::{ORDERS, Script};
use crate::server::FakeServer;
use crate::state::State;

/// Oldest first. From 2.0 on neighbouring keys are found twice as fast; from 3.0 on checks are made by default.
const RELEASES: [&str; 5] = ["1.0", "1.1", "2.0", "2.1", "3.0"];

/// Names further releases, newest last and separated by commas (`3.1,3.2`), so that a test can have one come out.
const MORE_RELEASES: &str = "HUMDRUM_FAKE_RELEASES";

fn versions() -> Vec<String> {
    let more = std::env::var(MORE_RELEASES).unwrap_or_default();
    let more = more.split(',').filter(|version| !version.is_empty());
    RELEASES.into_iter().chain(more).map(str::to_owned).collect()
}

/// The fake engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fake;

/// The same, keeping keys and values.
#[derive(Clone, Copy, Debug, Default)]
pub struct FakeKv;

impl Engine for FakeKv {
    fn name(&self) -> &'static str {
        "fake-kv"
    }

    fn about(&self) -> &'static str {
        "the scripted engine as a store of keys and values"
    }

    fn interface(&self) -> Interface {
        Interface::Kv
    }

    fn releases(&self, dirs: &Dirs) -> Vec<Release> {
        Fake.releases(dirs)
    }

    fn configurations(&self) -> Vec<Configuration> {
        Fake.configurations()
    }

    fn is_virtual(&self) -> bool {
        true
    }

    fn timings(&self) -> Timings {
        Fake.timings()
    }

    fn check(&self, subject: &Subject, dirs: &Dirs) -> Outcome<String> {
        Fake.check(subject, dirs)
    }

    fn install(&self, subject: &Subject, dirs: &Dirs, _: &dyn Progress) -> Outcome<Box<dyn Installation>> {
        installed(subject, dirs, Interface::Kv)
    }
}

impl Engine for Fake {
    fn name(&self) -> &'static str {
        "fake"
    }

    fn about(&self) -> &'static str {
        "a scripted engine on a virtual clock, for trying humdrum out and testing it"
    }

    fn interface(&self) -> Interface {
        Interface::Sql
    }

    fn pipelines(&self) -> bool {
        true
    }

    /// All but the first release, so that a comparison can have one of each kind.
    fn imports_statistics(&self, release: &str) -> bool {
        release != "1.0"
    }

    fn releases(&self, _house: &Dirs) -> Vec<Release> {
        let release =
            |version| Release { version, origin: "built in".to_owned(), pinned: true, cached: true };
        versions().into_iter().map(release).collect()
    }

    fn configurations(&self) -> Vec<Configuration> {
        let named = ORDERS.iter().filter(|(_, takes_value, _)| !takes_value);
        named.map(|(name, _, about)| Configuration { name: (*name).into(), about: (*about).into() }).collect()
    }

    fn is_virtual(&self) -> bool {
        true
    }

    /// Virtual seconds, which take no real time.
    fn timings(&self) -> Timings {
        Timings {
            create_seconds: 0.0,
            restart_seconds: 0.5,
            load_seconds_per_row: 1.2e-6,
            copy: None,
            settle_seconds: 0.2,
            settle_seconds_per_row: 0.0,
        }
    }

    fn has_layouts(&self, _subject: &Subject) -> bool {
        true
    }

    fn check(&self, subject: &Subject, _house: &Dirs) -> Outcome<String> {
        Script::parse(&subject.settings)?;
        let Place::Version(version) = &subject.place else {
            return Err(Fault::usage("a fake server is built in and has no folder, sources or URL")
                .hint("type fake@1.0"));
        };
        let versions = versions();
        let newest_of = |prefix: &str| versions.iter().rev().find(|release| release.starts_with(prefix));
        let exact = versions.iter().find(|release| *release == version);
        let found = exact.or_else(|| newest_of(&format!("{version}.")));
        found.cloned().ok_or_else(|| {
            Fault::usage(format!("fake has no release {version}"))
                .hint(format!("known: {}", versions.join(", ")))
        })
    }

    fn install(
        &self,
        subject: &Subject,
        dirs: &Dirs,
        _progress: &dyn Progress,
    ) -> Outcome<Box<dyn Installation>> {
        installed(subject, dirs, Interface::Sql)
    }

    fn counter(&self, url: &str, _: &dyn Progress) -> Outcome<Box<dyn StatementCounter>> {
        Ok(Box::new(FakeCounter::open(url)?))
    }
}

fn installed(subject: &Subject, dirs: &Dirs, interface: Interface) -> Outcome<Box<dyn Installation>> {
    let version = Fake.check(subject, dirs)?;
    let mut script = Script::parse(&subject.settings)?;
    if script.lags.as_ref() == Some(&version) {
        script.slowdown = (1.0 + script.slowdown) * LAG - 1.0;
    }
    if let Some(layout) = script.layout {
        let luck = Key::of(&version).and(layout).normal_factor(script.build_luck);
        script.slowdown = (1.0 + script.slowdown) * luck - 1.0;
    }
    Ok(Box::new(FakeInstallation { version, script, given: given(&subject.settings), interface }))
}

/// What `lags` multiplies the time of a statement by.
const LAG: f64 = 1.1;

struct FakeInstallation {
    version: String,
    script: Script,
    given: Vec<(String, String)>,
    interface: Interface,
}

impl FakeInstallation {
    fn major(&self) -> u32 {
        self.version.split('.').next().and_then(|major| major.parse().ok()).unwrap_or(1)
    }
}

impl Installation for FakeInstallation {
    fn facts(&self) -> SubjectFacts {
        let orders: Vec<String> = self.given.iter().map(|(key, value)| format!("+{key}={value}")).collect();
        let mut settings = self.given.clone();
        if self.script.checks.is_none() {
            let checks = if State::checks_by_default(self.major()) { "on" } else { "off" };
            settings.push(("checks".to_owned(), checks.to_owned()));
        }
        settings.sort();
        SubjectFacts {
            version: format!("fake {}", self.version),
            origin: "built in".to_owned(),
            build: vec!["virtual clock".to_owned()],
            settings,
            given: self.given.clone(),
            fingerprint: format!("fake {}{}", self.version, orders.concat()),
            link: None,
        }
    }

    fn create(&self, home: &Path, _sizing: &Sizing) -> Outcome<Box<dyn Server>> {
        // The home's own name, not its path: a resumed run has another run folder and must have the same luck.
        let name = home.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let state = State::new(VirtualClock::of_run(home), self.script.clone(), self.major(), Key::of(&name));
        let (home, facts, interface) = (home.to_owned(), self.facts(), self.interface);
        Ok(Box::new(FakeServer { state: Arc::new(state), home, facts, interface }))
    }
}

fn given(settings: &[Setting]) -> Vec<(String, String)> {
    let pair = |setting: &Setting| match setting {
        Setting::Named(name) => (name.clone(), "on".to_owned()),
        Setting::Value { key, value } => (key.clone(), value.clone()),
    };
    settings.iter().map(pair).collect()
}

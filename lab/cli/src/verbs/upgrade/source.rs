//! What is upgraded, and the two releases that are compared for it.

use std::path::Path;

use humdrum_contract::{Engine, Progress, Survey, Update};
use humdrum_model::{Fault, Place, Subject, url_without_password};
use humdrum_plan::parse_subject;

use crate::lab::Lab;
use crate::workloads;

/// The running server.
pub(super) struct Running {
    pub(super) url: String,
    pub(super) survey: Survey,
    /// Its engine's name.
    pub(super) engine: String,
}

/// Both sides of an upgrade.
pub(super) struct Source {
    /// `None` where a release was named.
    pub(super) running: Option<Running>,
    /// Label of the old release, which is its version where that tells both apart.
    pub(super) old: String,
    /// Label of the new one.
    pub(super) new: String,
    old_subject: Subject,
    new_subject: Subject,
    /// What the reader should know.
    pub(super) notes: Vec<String>,
}

impl Source {
    /// Reads what the user typed, and asks a running server for its release.
    ///
    /// # Errors
    /// Usage: neither a URL nor a subject, an unknown release. Otherwise what the server says.
    pub(super) fn read(lab: &Lab, typed: &str, to: &str) -> Result<Self, Fault> {
        let mut notes = Vec::new();
        let running = typed.contains("://").then(|| running(lab, typed)).transpose()?;
        let old = match &running {
            Some(running) => release_of(lab, running, &mut notes)?,
            None => parse_subject(typed)?,
        };
        let to = if to.contains('@') { to.to_owned() } else { format!("{}@{to}", old.engine) };
        let new = parse_subject(&to).map_err(|fault| fault.at("--to"))?;
        for (subject, place) in [(&old, "source"), (&new, "--to")] {
            if matches!(subject.place, Place::External(_)) {
                return Err(Fault::usage("both releases are run on this host")
                    .at(place)
                    .hint("name a release: 18, or postgres@18"));
            }
        }
        let exact = |subject: &Subject| engine(lab, &subject.engine)?.check(subject, &lab.dirs);
        let [from, into] = [exact(&old)?, exact(&new).map_err(|fault| fault.at("--to"))?];
        let (old_label, new_label) = labels((&old.engine, &from), (&new.engine, &into));
        Ok(Self { running, old: old_label, new: new_label, old_subject: old, new_subject: new, notes })
    }

    /// Both sides as they could be typed, with these settings of the running server.
    pub(super) fn subjects(&self, settings: &[(String, String)]) -> [String; 2] {
        let given: String = settings.iter().map(|(name, value)| format!("+{name}={value}")).collect();
        let [old, new] = [&self.old_subject, &self.new_subject].map(|subject| format!("{subject}{given}"));
        [format!("{}={old}", self.old), format!("{}={new}", self.new)]
    }

    /// The two subjects with their labels, for faults.
    pub(super) fn sides(&self) -> [(&str, &Subject); 2] {
        [(&self.old, &self.old_subject), (&self.new, &self.new_subject)]
    }

    /// The name of a workload that is captured: that of the database, if it can be one.
    pub(super) fn workload_name(&self) -> String {
        let database = self.running.as_ref().map_or("", |running| running.survey.database.as_str());
        let can_be = workloads::name_of(Path::new(database)).is_ok_and(|name| name == database);
        if can_be && !["results", "source"].contains(&database) {
            database.to_owned()
        } else {
            "captured".to_owned()
        }
    }
}

/// Versions tell releases of one engine apart; engines tell those of two.
fn labels((old_engine, from): (&str, &str), (new_engine, into): (&str, &str)) -> (String, String) {
    match (old_engine == new_engine, from == into) {
        (true, false) => (from.to_owned(), into.to_owned()),
        (true, true) => (format!("{from}-old"), format!("{into}-new")),
        (false, _) => (format!("{old_engine}-{from}"), format!("{new_engine}-{into}")),
    }
}

fn engine<'l>(lab: &'l Lab, name: &str) -> Result<&'l dyn Engine, Fault> {
    lab.catalogue
        .engine_named(name)
        .map_err(|fault| Fault { what: format!("unknown engine `{name}`"), ..fault })
}

fn running(lab: &Lab, typed: &str) -> Result<Running, Fault> {
    let (engine, url) = match lab.engine_at(typed) {
        Ok(found) => found,
        Err(name) => (engine(lab, name)?, typed),
    };
    let shown = url_without_password(url);
    lab.console.update(Update::Step(&format!("asking {shown} for its release and settings")));
    let survey = engine.survey(url).map_err(|fault| fault.at(shown))?;
    Ok(Running { url: url.to_owned(), survey, engine: engine.name().to_owned() })
}

/// The release that a running server has, or the nearest one that can be had here.
fn release_of(lab: &Lab, running: &Running, notes: &mut Vec<String>) -> Result<Subject, Fault> {
    let version = running.survey.version.as_str();
    let engine = engine(lab, &running.engine)?;
    let mut wanted = version;
    let mut refused = None;
    while !wanted.is_empty() {
        let subject = Subject {
            label: String::new(),
            engine: running.engine.clone(),
            place: Place::Version(wanted.to_owned()),
            settings: Vec::new(),
        };
        match engine.check(&subject, &lab.dirs) {
            Ok(release) => {
                if release != version {
                    notes.push(format!(
                        "the server runs {version}, which cannot be had here: {release} stands for it"
                    ));
                }
                return Ok(subject);
            }
            Err(fault) => refused = refused.or(Some(fault)),
        }
        wanted = wanted.rsplit_once('.').map_or("", |(head, _)| head);
    }
    let fault = refused.unwrap_or_else(|| Fault::usage("the server does not say its release"));
    Err(fault.hint(format!(
        "`humdrum versions {}` lists what can be had; name one as the source, with --data",
        running.engine
    )))
}

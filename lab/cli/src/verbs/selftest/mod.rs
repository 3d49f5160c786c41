//! `humdrum selftest`: how often verdicts are wrong on this host, from runs whose truth is known.

mod kinds;

use std::path::{Path, PathBuf};

use humdrum_contract::{Progress, Update};
use humdrum_model::{Fault, Plan, Results, Selftest, SelftestCount};
use humdrum_record::{ResultsFolder, selftest_folder, write_whole};
use humdrum_run::Places;
use humdrum_sample::gate::OnBusy;
use humdrum_workload_script::Given;

use super::compare::{create, dry_run_text};
use super::conclude::{is_empty, keep};
use super::report::style;
use crate::args::SelftestOptions;
use crate::known;
use crate::lab::Lab;
use kinds::{Kind, kinds};

/// Version of the shape of `selftest.json`.
const SCHEMA: u32 = 1;

/// `humdrum selftest SUBJECT`.
///
/// # Errors
/// Usage, before anything is measured; what ended a run, after what was found until then is told and kept.
pub fn selftest(lab: &mut Lab, options: &SelftestOptions) -> Result<u8, Fault> {
    let on_busy: OnBusy = options.on_busy.parse()?;
    let mut options = options.clone();
    lab.adopt(&mut options.suite, &Given::default())?;
    let (lab, options) = (&*lab, &options);
    let kinds = kinds(lab, options)?;
    if options.dry_run {
        let equal = &kinds[0];
        anstream::print!(
            "{}{}\n",
            dry_run_text(lab, &equal.plan, equal.steps.as_ref(), None)?,
            length(&kinds, options.runs)
        );
        return Ok(0);
    }
    let folder = selftest_folder(options.out.as_deref(), &options.subject);
    let mut tested = Tested {
        lab,
        on_busy,
        folder,
        kinds: &kinds,
        rounds: options.runs,
        counts: Vec::new(),
        last: None,
        runs: 0,
        failed: false,
    };
    let text = format!("{}\nresults go to {}/", length(&kinds, options.runs), tested.folder.display());
    lab.console.update(Update::Step(&text));
    let ended = tested.all();
    lab.console.clear();
    tested.conclude(options, ended)
}

/// `15 runs of at most 60 s: 3 rounds of A/A, 1%, 2%, 3%, 5%`.
fn length(kinds: &[Kind], rounds: u32) -> String {
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
    let seconds = kinds[0].plan.budget_seconds;
    let s = if rounds == 1 { "" } else { "s" };
    format!(
        "{} runs of at most {seconds:.0} s of measuring each: {rounds} round{s} of {}",
        rounds as usize * kinds.len(),
        names.join(", ")
    )
}

/// A selftest under way.
struct Tested<'a> {
    lab: &'a Lab,
    on_busy: OnBusy,
    folder: PathBuf,
    /// The runs of a round.
    kinds: &'a [Kind],
    rounds: u32,
    counts: Vec<SelftestCount>,
    /// The latest run that came to its end.
    last: Option<Results>,
    runs: u32,
    /// A test failed.
    failed: bool,
}

impl Tested<'_> {
    /// Every run, each kept as it ends.
    fn all(&mut self) -> Result<(), Fault> {
        let kinds = self.kinds;
        let all = self.rounds as usize * kinds.len();
        for (number, kind) in kinds.iter().cycle().take(all).enumerate() {
            let text = format!("run {} of {all}: {}", number + 1, kind.told());
            self.lab.console.update(Update::Step(&text));
            let plan = Plan { seed: kind.plan.seed.wrapping_add(number as u64), ..kind.plan.clone() };
            let folder = self.folder.join(format!("{}-{}", number + 1, kind.file()));
            let results = self.measure(&plan, &folder)?;
            self.count(kind, &folder, results);
        }
        Ok(())
    }

    fn measure(&self, plan: &Plan, folder: &Path) -> Result<Results, Fault> {
        let out = ResultsFolder::create(Some(folder), &plan.subjects)?;
        let mut store = create(self.lab, plan, &out)?;
        let places = Places { on_busy: self.on_busy, ..self.lab.places(false, out.logs()) };
        let measured =
            humdrum_run::measure(plan, &self.lab.catalogue, &places, &mut store, &self.lab.console);
        let results = store.read()?;
        if is_empty(&results) {
            drop(store);
            out.discard();
        }
        measured.map(|()| results)
    }

    fn count(&mut self, kind: &Kind, folder: &Path, results: Results) {
        let (counts, remark) = humdrum_run::keep_selftest(&results, kind.injected, &self.lab.dirs);
        if kind.injected == 0.0 {
            keep(self.lab, &results);
        }
        let failed = humdrum_analyse::exit_code(&humdrum_analyse::summarise(&results), false) == 3;
        let told = format!("a test failed, and counts for nothing: humdrum report {}", folder.display());
        for note in remark.into_iter().chain(failed.then_some(told)) {
            self.lab.console.update(Update::Note(&note));
        }
        self.counts.extend(counts);
        self.failed |= failed;
        self.runs += 1;
        self.last = Some(results);
    }

    /// Tells and writes what was found, whatever ended it.
    fn conclude(self, options: &SelftestOptions, ended: Result<(), Fault>) -> Result<u8, Fault> {
        let Some(results) = &self.last else {
            let _ = std::fs::remove_dir(&self.folder);
            return ended.map(|()| 0);
        };
        let found = self.found(results, options);
        // Writing plain data to memory cannot fail.
        let text = serde_json::to_string_pretty(&found).unwrap_or_default();
        let file = self.folder.join("selftest.json");
        write_whole(&file, &text)?;
        options.json.as_deref().map_or(Ok(()), |path| write_whole(path, &text))?;
        if options.json.as_deref() != Some(Path::new("-")) {
            anstream::print!("{}", humdrum_report::selftest(&found, &results.host, style(self.lab)));
            anstream::println!("\nresults: {}", file.display());
        }
        let more = "runs that came to their end are kept; type the same with another --out and --seed to add to them";
        ended.map_err(|fault| if fault.hint.is_none() { fault.hint(more) } else { fault })?;
        Ok(match humdrum_analyse::alarms_too_often(&found.found) {
            _ if self.failed => 3,
            too_often => u8::from(too_often),
        })
    }

    fn found(&self, results: &Results, options: &SelftestOptions) -> Selftest {
        Selftest {
            schema: SCHEMA,
            tool: results.tool.clone(),
            suite: results.plan.suite.clone(),
            subject: self.kinds[0].subject.clone(),
            seed: options.seed,
            budget_seconds: results.plan.budget_seconds,
            runs: self.runs,
            runs_planned: self.rounds * self.kinds.len() as u32,
            found: humdrum_analyse::certificates(&self.counts),
            certificates: known::certificates(results, &self.lab.dirs.cache),
        }
    }
}

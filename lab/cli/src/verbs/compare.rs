//! `humdrum compare` and `humdrum run`: plan, measure, judge, report.

use humdrum_contract::{Progress, Update, Workload};
use humdrum_model::{Fault, Plan, Results};
use humdrum_plan::{ForHost, Outlook, Request, StepNeed, dry_run, dry_run_steps, parse_shard, shard};
use humdrum_provision::hosts;
use humdrum_record::{ResultsFolder, Store, certificate};

use super::builds::{Ended, conclude_all};
use super::report::Shown;
use humdrum_run::Places;
use humdrum_sample::gate::OnBusy;

use crate::args::{CompareOptions, MeasureOptions, RunOptions};
use crate::lab::Lab;
use crate::planned::check;

/// `humdrum compare BASE SUBJECT...`.
///
/// # Errors
/// As the whole pipeline.
pub fn compare(lab: &mut Lab, options: &CompareOptions) -> Result<u8, Fault> {
    let subjects = std::iter::once(&options.base).chain(&options.subjects).cloned().collect();
    measure(lab, options.measure.request(subjects), &options.measure).map(|measured| measured.code)
}

/// `humdrum run PLAN.toml`.
///
/// # Errors
/// As the whole pipeline.
pub fn run(lab: &mut Lab, options: &RunOptions) -> Result<u8, Fault> {
    let file = Request::from_toml(&options.plan)?;
    let request = file.merge(options.measure.request(Vec::new()));
    measure(lab, request, &options.measure).map(|measured| measured.code)
}

/// A measurement that came to its end.
pub(super) struct Measured {
    /// The exit code of its verdicts.
    pub(super) code: u8,
    /// Where its results are; `None` after a dry run.
    pub(super) out: Option<ResultsFolder>,
}

/// Plans, measures, judges and reports.
///
/// # Errors
/// As the whole pipeline.
pub(super) fn measure(lab: &mut Lab, request: Request, options: &MeasureOptions) -> Result<Measured, Fault> {
    measure_if(lab, request, options, |_, _| Ok(()))
}

/// The same, if the plan is what the caller asks for: `also` is called before anything is measured.
///
/// # Errors
/// As the whole pipeline, and those of `also`.
pub(super) fn measure_if(
    lab: &mut Lab,
    mut request: Request,
    options: &MeasureOptions,
    also: impl FnOnce(&Plan, &dyn Workload) -> Result<(), Fault>,
) -> Result<Measured, Fault> {
    let on_busy: OnBusy = options.on_busy.parse()?;
    let given = lab.given_for(options.dump.given(), &request.subjects);
    lab.adopt(&mut request.suite, &given)?;
    let lab = &*lab;
    let dirs = lab.dirs(options.allow_external);
    let catalogue = &lab.catalogue;
    let mut plan = check(&request, catalogue, &dirs)?;
    also(&plan, catalogue.workload(&plan.suite)?)?;
    let steps = humdrum_run::choose_mode(&request, &mut plan, catalogue, &dirs)?;
    if let Some(text) = &options.shard {
        let (number, of) = parse_shard(text)?;
        plan = shard(&plan, number, of)?;
    }
    let detectable = humdrum_analyse::planned_detectable(&plan.design);
    if options.dry_run {
        anstream::print!("{}", dry_run_text(lab, &plan, steps.as_ref(), request.host.as_ref())?);
        return Ok(Measured { code: 0, out: None });
    }
    humdrum_run::check_confines(&plan, catalogue)?;
    humdrum_run::check_disk(&plan, steps.as_ref(), catalogue, &dirs)?;
    let built: Vec<_> = (0..plan.subjects.len()).map(|subject| plan.for_engine(subject)).collect();
    humdrum_run::check_builds(&built, catalogue, &dirs, &lab.console)?;
    let out = ResultsFolder::create(request.out.as_deref(), &plan.subjects)?;
    announce(lab, &plan, &out, steps.as_ref(), detectable);
    let mut store = create(lab, &plan, &out)?;
    let places = |out: &ResultsFolder| Places { on_busy, ..lab.places(options.allow_external, out.logs()) };
    let measured = humdrum_run::measure(&plan, catalogue, &places(&out), &mut store, &lab.console);
    lab.console.clear();
    let ended = Ended { store, out: out.clone(), measured };
    let shown = Shown { table: !options.unseen, ..Shown::of(options.json.as_deref()) };
    let code = conclude_all(lab, &plan, ended, places, shown)?;
    Ok(Measured { code, out: Some(out) })
}

/// What a plan's schedule is, and what it needs on the host that it was sized for, or else on this one.
///
/// # Errors
/// As the whole pipeline.
pub(super) fn dry_run_text(
    lab: &Lab,
    plan: &Plan,
    steps: Option<&StepNeed>,
    sized_for: Option<&ForHost>,
) -> Result<String, Fault> {
    let own_bytes = hosts::memory_bytes();
    let host_bytes = sized_for.map_or(Ok(own_bytes), ForHost::memory_bytes)?;
    let host = sized_for.map_or(Ok(String::new()), |host| host.dry_run(hosts::cpus(), own_bytes))?;
    let outlook = Outlook {
        half_width: humdrum_analyse::planned_half_width(&plan.design),
        detectable: humdrum_analyse::planned_detectable(&plan.design),
    };
    let cost = match steps {
        Some(need) => dry_run_steps(plan, need, &outlook),
        None => dry_run(plan, &humdrum_run::need(plan, &lab.catalogue, host_bytes)?, &outlook),
    };
    let built: Vec<_> = (0..plan.subjects.len()).map(|subject| plan.for_engine(subject)).collect();
    let builds = humdrum_run::builds_told(&built, &lab.catalogue, &lab.dirs, &lab.console)?;
    Ok(host + &cost + &builds)
}

/// Measures what a request asks for without judging it or printing anything; everything is in its folder. `by` does the
/// measuring.
///
/// # Errors
/// As the whole pipeline.
pub fn measured(
    lab: &Lab,
    request: &Request,
    allow_external: bool,
    by: impl FnOnce(&Plan, &ResultsFolder, &mut Store) -> Result<(), Fault>,
) -> Result<Results, Fault> {
    let plan = check(request, &lab.catalogue, &lab.dirs(allow_external))?;
    let out = ResultsFolder::create(request.out.as_deref(), &plan.subjects)?;
    let mut store = create(lab, &plan, &out)?;
    by(&plan, &out, &mut store)?;
    lab.console.clear();
    store.read()
}

/// A results file with everything that is known before the first block.
pub(super) fn create(lab: &Lab, plan: &Plan, out: &ResultsFolder) -> Result<Store, Fault> {
    lab.keep_suite(out)?;
    let tool = format!("humdrum {}", env!("CARGO_PKG_VERSION"));
    let record = humdrum_run::new_record(&tool, plan, &lab.catalogue, &lab.dirs, &lab.console);
    let floor = certificate::read(&lab.dirs.cache);
    let record = Results {
        aa_floor: floor.map(|(floor, _)| floor),
        aa_excess: floor.map(|(_, excess)| excess),
        ..record
    };
    Store::create(&out.results(), &record)
}

fn announce(lab: &Lab, plan: &Plan, out: &ResultsFolder, steps: Option<&StepNeed>, detectable: f64) {
    let labels: Vec<&str> = plan.subjects.iter().map(|subject| subject.label.as_str()).collect();
    let (tests, minutes, detectable) = (plan.tests.len(), plan.budget_seconds / 60.0, detectable * 100.0);
    let what = match steps {
        Some(need) => {
            let sessions = plan.design.sessions_max();
            format!("{tests} steps · at most {sessions} sessions, {minutes:.0} minutes\n{}", need.why)
        }
        None => format!(
            "{tests} tests · at most {minutes:.1} minutes of measuring\n\
             each test will see a change of {detectable:.1} % (80 % power); a change below {} is boring",
            deltas(plan)
        ),
    };
    let (labels, folder) = (labels.join(" with "), out.folder.display());
    let spread = humdrum_plan::spread(plan).map_or_else(String::new, |spread| format!("\n{spread}"));
    let text = format!("comparing {labels} · {} · {what}{spread}\nresults go to {folder}/", plan.suite);
    lab.console.update(Update::Step(&text));
}

/// The smallest change that matters, `1.0 %`, or both where the plan has tests that read and tests that write.
fn deltas(plan: &Plan) -> String {
    let percent = |delta: f64| format!("{:.1} %", delta * 100.0);
    let (read, write) = (percent(plan.design.delta), percent(plan.design.delta_writes));
    match plan.tests.iter().filter(|test| test.writes).count() {
        0 => read,
        writes if writes == plan.tests.len() => write,
        _ => format!("{read} ({write} where tests write)"),
    }
}

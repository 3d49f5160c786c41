//! `humdrum compare` and `humdrum run`: plan, measure, judge, report.

use std::path::Path;
use std::time::SystemTime;

use humdrum_contract::{Dirs, Engine, Progress, Update};
use humdrum_model::{Fault, Plan, Results, Subject};
use humdrum_plan::{Need, Request, StepNeed, check, dry_run, dry_run_steps};
use humdrum_provision::hosts;
use humdrum_record::Store;

use super::report::conclude;
use crate::args::{CompareOptions, MeasureOptions, RunOptions};
use crate::files::Out;
use crate::lab::Lab;
use crate::pipeline::{self, Bench};

/// `humdrum compare BASE SUBJECT...`.
///
/// # Errors
/// As the whole pipeline.
pub fn compare(lab: &Lab, options: &CompareOptions) -> Result<u8, Fault> {
    let subjects = std::iter::once(&options.base).chain(&options.subjects).cloned().collect();
    measure(lab, options.measure.request(subjects), &options.measure)
}

/// `humdrum run PLAN.toml`.
///
/// # Errors
/// As the whole pipeline.
pub fn run(lab: &Lab, options: &RunOptions) -> Result<u8, Fault> {
    let file = Request::from_toml(&options.plan)?;
    measure(lab, file.merge(options.measure.request(Vec::new())), &options.measure)
}

fn measure(lab: &Lab, request: Request, options: &MeasureOptions) -> Result<u8, Fault> {
    let dirs = lab.dirs(options.allow_external);
    let mut plan = check(&request, &lab.engines, &lab.workloads, &dirs)?;
    let why = crate::turns::choose(lab, &dirs, &request, &mut plan)?;
    let detectable = humdrum_analyse::planned_detectable(&plan.design);
    let need = need(lab, &plan)?;
    if let (true, Some(need)) = (options.dry_run, &why) {
        anstream::print!("{}", dry_run_steps(&plan, need));
        return Ok(0);
    }
    if options.dry_run {
        anstream::print!("{}", dry_run(&plan, &need, detectable));
        return Ok(0);
    }
    let out = Out::create(request.out.as_deref(), &plan.subjects)?;
    match &why {
        Some(need) => announce_steps(lab, &plan, &out, need),
        None => announce(lab, &plan, &out, detectable),
    }
    let mut store = Store::create(&out.results(), &header(lab, &plan, &dirs))?;
    let measured = pipeline::measure(lab, &dirs, &plan, &mut store, &out);
    lab.console.clear();
    conclude(lab, store, &out, options.json.as_deref(), plan.strict, measured)
}

/// Measures what a request asks for without judging it or printing anything; everything is in its folder. Then does
/// something more while the servers still stand.
///
/// # Errors
/// As the whole pipeline.
pub fn measured(
    lab: &Lab,
    request: &Request,
    allow_external: bool,
    more: impl FnOnce(&Plan, &Results, &mut Bench<'_>) -> Result<(), Fault>,
) -> Result<Results, Fault> {
    let dirs = lab.dirs(allow_external);
    let plan = check(request, &lab.engines, &lab.workloads, &dirs)?;
    let out = Out::create(request.out.as_deref(), &plan.subjects)?;
    let mut store = Store::create(&out.results(), &header(lab, &plan, &dirs))?;
    let more = |results: &Results, bench: &mut Bench<'_>| more(&plan, results, bench);
    pipeline::measure_and(lab, &dirs, &plan, &mut store, &out, more)?;
    lab.console.clear();
    store.read()
}

fn need(lab: &Lab, plan: &Plan) -> Result<Need, Fault> {
    let disk_bytes_per_subject = lab.workload(&plan.suite)?.bytes(&plan.scale);
    let workload = lab.workload(&plan.suite)?;
    let memory_bytes_per_subject = pipeline::sizing(plan, workload).memory_bytes;
    Ok(Need { disk_bytes_per_subject, memory_bytes_per_subject })
}

/// What is known before the first block.
fn header(lab: &Lab, plan: &Plan, dirs: &Dirs) -> Results {
    lab.console.update(Update::Step("looking at the host"));
    let certificate = crate::certificate::read(dirs);
    let is_virtual = |subject: &Subject| lab.engine(subject).is_ok_and(Engine::is_virtual);
    Results {
        tool: format!("humdrum {}", env!("CARGO_PKG_VERSION")),
        started: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        seconds: 0.0,
        plan: Plan {
            subjects: plan.subjects.iter().map(Subject::without_password).collect(),
            ..plan.clone()
        },
        host: if plan.subjects.iter().all(is_virtual) {
            hosts::known_facts()
        } else {
            hosts::host_facts(dirs)
        },
        aa_floor: certificate.map(|certificate| certificate.floor),
        aa_excess: certificate.map(|certificate| certificate.excess),
        metrics: Vec::new(),
        subjects: Vec::new(),
        loads: Vec::new(),
        calibrations: Vec::new(),
        sessions: Vec::new(),
        blocks: Vec::new(),
        latencies: Vec::new(),
        states: Vec::new(),
        debts: Vec::new(),
        examinations: Vec::new(),
        query_plans: Vec::new(),
        steps: Vec::new(),
        events: Vec::new(),
        finished: false,
    }
}

fn announce_steps(lab: &Lab, plan: &Plan, out: &Out, need: &StepNeed) {
    let labels: Vec<&str> = plan.subjects.iter().map(|subject| subject.label.as_str()).collect();
    let (tests, sessions) = (plan.tests.len(), plan.design.confirmation_sessions);
    let text = format!(
        "comparing {} · {} · {tests} steps · at most {sessions} sessions, {:.0} minutes\n{}\nresults go to {}",
        labels.join(" with "),
        plan.suite,
        plan.budget_seconds / 60.0,
        need.why,
        shown(&out.folder)
    );
    lab.console.update(Update::Step(&text));
}

fn announce(lab: &Lab, plan: &Plan, out: &Out, detectable: f64) {
    let labels: Vec<&str> = plan.subjects.iter().map(|subject| subject.label.as_str()).collect();
    let (tests, minutes) = (plan.tests.len(), plan.budget_seconds / 60.0);
    let text = format!(
        "comparing {} · {} · {tests} tests · at most {minutes:.1} minutes of measuring\n\
         each test will see a change of {:.1} % (80 % power); a change below {} is boring\n\
         results go to {}",
        labels.join(" with "),
        plan.suite,
        detectable * 100.0,
        deltas(plan),
        shown(&out.folder)
    );
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

fn shown(folder: &Path) -> String {
    format!("{}/", folder.display())
}

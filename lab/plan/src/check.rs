//! Turns a request into a plan that can be run, or refuses it and says what to type instead. Nothing is fetched,
//! started or written here.

use humdrum_contract::{Dirs, Engine, Outcome, Workload};
use humdrum_model::{Builds, Design, Fault, Mode, Place, Plan, SLICE_MS, Scale, Subject, TestInfo, Timings};

use crate::builds::builds;
use crate::design::{Measured, affordable_seconds, design};
use crate::from::{from, patched, pinned, refuse_patches};
use crate::fsync_delay::fsync_delay;
use crate::injection::injection;
use crate::judging::judging;
use crate::memory::{enough, memory};
use crate::neighbours::incomplete;
use crate::overrides::{Overrides, fresh_enough, without_contradiction};
use crate::quantity::{parse_duration, parse_fraction};
use crate::request::{Request, SUITE_DEFAULT};
use crate::scale::{at_each, parse_scales};
use crate::steps::{budget_for_steps, design_for_steps};
use crate::subject::parse_subject;
use crate::suggest::did_you_mean;
use crate::tests_wanted::tests_wanted;

/// Long enough to decide 22 tests on a quiet host. With provisioning and report, the user waits five minutes.
const BUDGET_SECONDS_DEFAULT: f64 = 270.0;
/// A longer budget is probably a mistake in the unit.
const BUDGET_SECONDS_MAX: f64 = 7.0 * 24.0 * 3600.0;
const SESSIONS: std::ops::RangeInclusive<u32> = 4..=200;
/// With more servers side by side, their caches become too small.
const SUBJECTS_MAX: usize = 16;

/// Checks a request against what exists here.
///
/// # Errors
/// Usage: unknown suite, engine, release, test, scale or mode, equal labels, options that contradict each
/// other, a budget that is too small.
pub fn check(
    request: &Request,
    engines: &[Box<dyn Engine>],
    workloads: &[Box<dyn Workload>],
    dirs: &Dirs,
) -> Outcome<Plan> {
    let workload = workload(request, workloads)?;
    let subjects = subjects(request, engines, workload, dirs)?;
    let builds = builds(request, &subjects, engines)?;
    let (suite, all) = (workload.name(), workload.tests(request.compat));
    let tests = tests_wanted(&request.tests, workload.tests_default(), all, suite)?;
    for subject in &subjects {
        let engine = engines.iter().find(|engine| engine.name() == subject.engine);
        engine.map_or(Ok(()), |engine| workload.suits(&**engine, &tests))?;
    }
    let memory_bytes = memory(request, &subjects)?;
    let scales = parse_scales(request.scale_text()?.as_deref(), memory_bytes, workload)?;
    let (tests, scale) = (at_each(tests, &scales.lists), scales.scale);
    enough(memory_bytes, &subjects, engines, workload.connections(&scale))?;
    let timings: Vec<Timings> = subjects.iter().map(|subject| timings(subject, engines)).collect();
    let measured = |tests: &[TestInfo], mode| {
        let turns = mode == Mode::Interleaved && !request.side_by_side;
        Measured::of(&timings, incomplete(workload.interface(), tests, &timings).filter(|_| turns))
    };
    if let Some(steps) = workload.steps() {
        let tests = steps.needed(tests, &workload.tests(request.compat));
        let overrides = overrides(request, 1)?;
        let design = design_for_steps(&tests, &measured(&tests, overrides.mode), &scale, &overrides);
        let budget_seconds = match request.budget {
            Some(_) => budget(request)?,
            None => budget_for_steps(steps.seconds(&tests, &scale), &design, subjects.len()),
        };
        let mode = overrides.mode;
        let planned = Planned { subjects, tests, scale, memory_bytes, mode, budget_seconds, design, builds };
        return planned.plan(request, workload);
    }
    let overrides = overrides(request, *SESSIONS.start())?;
    fresh_enough(&tests, &overrides)?;
    let measured = measured(&tests, overrides.mode);
    let (budget_seconds, design) = budget_and_design(request, &tests, &measured, &scale, &overrides)?;
    let mode = overrides.mode;
    Planned { subjects, tests, scale, memory_bytes, mode, budget_seconds, design, builds }
        .plan(request, workload)
}

/// The parts of a plan that follow from the request and the suite.
struct Planned {
    subjects: Vec<Subject>,
    tests: Vec<TestInfo>,
    scale: Scale,
    memory_bytes: Option<u64>,
    mode: Mode,
    budget_seconds: f64,
    design: Design,
    builds: Option<Builds>,
}

impl Planned {
    fn plan(self, request: &Request, workload: &dyn Workload) -> Outcome<Plan> {
        let Self { subjects, tests, scale, memory_bytes, mode, budget_seconds, design, builds } = self;
        Ok(Plan {
            memory_bytes,
            fsync_delay_us: fsync_delay(request, &subjects)?,
            suite: workload.name().to_owned(),
            suite_sha256: workload.fingerprint().map(str::to_owned),
            subjects,
            tests,
            scale,
            mode,
            seed: request.seed.unwrap_or(1),
            budget_seconds,
            design,
            strict: request.strict,
            compat: request.compat,
            judging: judging(request)?,
            shard: None,
            after_load: Vec::new(),
            builds,
            imported: None,
        })
    }
}

fn workload<'a>(request: &Request, workloads: &'a [Box<dyn Workload>]) -> Outcome<&'a dyn Workload> {
    let name = request.suite.as_deref().unwrap_or(SUITE_DEFAULT);
    workloads.iter().find(|workload| workload.name() == name).map(AsRef::as_ref).ok_or_else(|| {
        let near = did_you_mean(name, workloads.iter().map(|workload| workload.name()));
        Fault::usage(format!("unknown suite `{name}`")).hint(format!("{near}; a folder is written ./{name}"))
    })
}

fn subjects(
    request: &Request,
    engines: &[Box<dyn Engine>],
    workload: &dyn Workload,
    dirs: &Dirs,
) -> Outcome<Vec<Subject>> {
    let typed = request.subjects.len();
    if !(2..=SUBJECTS_MAX).contains(&typed) {
        return Err(Fault::usage(format!(
            "{typed} subjects given, but a comparison has 2 to {SUBJECTS_MAX}"
        ))
        .hint("name the base and then what to compare with it: postgres@16.11 postgres@17.7"));
    }
    let parsed = request.subjects.iter().map(|text| parse_subject(text)).collect::<Outcome<Vec<_>>>()?;
    unique_labels(&parsed)?;
    let resolved = parsed.into_iter().map(|subject| resolved(subject, request, engines, workload, dirs));
    let resolved = resolved.collect::<Outcome<Vec<_>>>()?;
    refuse_patches(&request.patch, &resolved)?;
    Ok(resolved)
}

fn unique_labels(subjects: &[Subject]) -> Outcome<()> {
    for (index, subject) in subjects.iter().enumerate() {
        if !subjects[..index].iter().any(|earlier| earlier.label == subject.label) {
            continue;
        }
        let label = &subject.label;
        return Err(if label.contains('@') {
            Fault::usage(format!("`{label}` is given twice"))
                .hint(format!("to compare a build with itself, label both: a={label} b={label}"))
        } else {
            Fault::usage(format!("two subjects are labelled `{label}`")).hint("give each a label of its own")
        });
    }
    Ok(())
}

/// The subject with its exact version. Checks its engine, and that the engine can run the suite.
fn resolved(
    subject: Subject,
    request: &Request,
    engines: &[Box<dyn Engine>],
    workload: &dyn Workload,
    dirs: &Dirs,
) -> Outcome<Subject> {
    let engine = engines.iter().find(|engine| engine.name() == subject.engine).ok_or_else(|| {
        let names = engines.iter().map(|engine| engine.name());
        Fault::usage(format!("unknown engine `{}`", subject.engine))
            .hint(did_you_mean(&subject.engine, names))
    })?;
    if engine.interface() != workload.interface() {
        return Err(cannot_pair(engine.as_ref(), engines, workload));
    }
    if matches!(subject.place, Place::External(_)) && !dirs.allow_external {
        return Err(Fault::usage(format!("`{}` is a server that humdrum did not start", subject.label))
            .hint("add --allow-external; only its schema `humdrum` is touched"));
    }
    injection(&subject)?;
    let subject = from(subject, request.from.as_deref(), engine.as_ref())?;
    pinned(patched(subject, &request.patch)?, engine.as_ref(), dirs)
}

/// The timings of a subject's engine; an external server has none for a copy, as its files cannot be copied.
fn timings(subject: &Subject, engines: &[Box<dyn Engine>]) -> Timings {
    let engine = engines.iter().find(|engine| engine.name() == subject.engine);
    let timings = engine.map_or(Timings::NONE, |engine| engine.timings());
    if matches!(subject.place, Place::External(_)) { Timings { copy: None, ..timings } } else { timings }
}

fn cannot_pair(engine: &dyn Engine, engines: &[Box<dyn Engine>], workload: &dyn Workload) -> Fault {
    let able = engines.iter().filter(|engine| engine.interface() == workload.interface());
    let able: Vec<&str> = able.map(|engine| engine.name()).collect();
    let (suite, wants) = (workload.name(), workload.interface());
    let (wants, speaks) = (wants.words(), engine.interface().words());
    Fault::usage(format!("suite {suite} needs {wants}, and {} has {speaks}", engine.name()))
        .hint(format!("{suite} runs on: {}", able.join(", ")))
}

fn budget(request: &Request) -> Outcome<f64> {
    let Some(text) = &request.budget else { return Ok(BUDGET_SECONDS_DEFAULT) };
    let seconds = parse_duration(text).map_err(|fault| fault.at("--budget"))?;
    if seconds > BUDGET_SECONDS_MAX {
        return Err(Fault::usage(format!("a budget of {text} is more than a week"))
            .hint("type it as 90s, 5m, 1h or 1h30m"));
    }
    Ok(seconds / f64::from(request.builds.unwrap_or(1)))
}

/// The budget, and the design that fits it.
fn budget_and_design(
    request: &Request,
    tests: &[TestInfo],
    measured: &Measured,
    scale: &Scale,
    overrides: &Overrides,
) -> Outcome<(f64, Design)> {
    let seconds = budget(request)?;
    let found = design(seconds, tests, measured, scale, overrides);
    let least = affordable_seconds(&found, tests, scale);
    if least <= seconds {
        return Ok((seconds, found));
    }
    let least = least.ceil();
    // A budget that nobody typed is no reason to refuse subjects that are spread over sessions.
    if request.budget_grows || (request.budget.is_none() && measured.incomplete.is_some()) {
        return Ok((least, design(least, tests, measured, scale, overrides)));
    }
    Err(too_small(seconds, least, tests.len()))
}

fn too_small(budget_seconds: f64, least: f64, tests: usize) -> Fault {
    Fault::usage(format!("a budget of {budget_seconds} s is too small for {tests} tests"))
        .hint(format!("give at least --budget {least}s, name fewer --tests, or take a smaller --scale"))
}

fn overrides(request: &Request, fewest_sessions: u32) -> Outcome<Overrides> {
    let mode = mode(request)?;
    let delta = request.delta.as_deref().map(parse_fraction).transpose();
    let timeout = request.timeout.as_deref().map(parse_duration).transpose();
    let overrides = Overrides {
        mode,
        delta: delta.map_err(|fault| fault.at("--delta"))?,
        slice_ms: request.slice_ms,
        sessions: request.sessions,
        restart: request.restart,
        reload: request.reload,
        copy: request.copy,
        timeout_seconds: timeout.map_err(|fault| fault.at("--timeout"))?,
    };
    within_bounds(&overrides, fewest_sessions)?;
    without_contradiction(&overrides)?;
    Ok(overrides)
}

fn mode(request: &Request) -> Outcome<Mode> {
    match request.mode.as_deref() {
        None | Some("interleaved") => Ok(Mode::Interleaved),
        Some("sequential") => Ok(Mode::Sequential),
        Some(other) => Err(Fault::usage(format!("unknown mode `{other}`"))
            .hint(did_you_mean(other, ["interleaved", "sequential"]))),
    }
}

fn within_bounds(overrides: &Overrides, fewest_sessions: u32) -> Outcome<()> {
    let bounds = fewest_sessions..=*SESSIONS.end();
    if let Some(slice) = overrides.slice_ms.filter(|slice| !SLICE_MS.contains(slice)) {
        return Err(Fault::usage(format!(
            "a slice of {slice} ms is outside {} to {} ms",
            SLICE_MS.start(),
            SLICE_MS.end()
        ))
        .hint("leave --slice-ms out, or type a number within"));
    }
    if let Some(sessions) = overrides.sessions.filter(|sessions| !bounds.contains(sessions)) {
        return Err(Fault::usage(format!(
            "{sessions} sessions is outside {} to {}",
            bounds.start(),
            bounds.end()
        ))
        .hint("leave --sessions out and let --budget decide, or type a number within"));
    }
    Ok(())
}

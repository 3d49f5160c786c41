//! `humdrum bisect`: the release or commit at which a test moved.
//!
//! ```text
//!   OUT/bisect.json               the search: positions, rounds, what is known; written after every round
//!   OUT/report.html               the same for people, when it ends
//!   OUT/rounds/N/results.sqlite   a comparison of the positions of round N, as `humdrum compare` makes it
//!   OUT/rounds/N/runs.json        or, with --run, what the command measured
//! ```

mod ending;
mod positions;
mod round;
mod script;
mod search;
mod way;

use std::path::Path;

use humdrum_contract::{Progress, Update};
use humdrum_model::{Bisect, BisectPosition, BisectScript, BisectState, Fault, Plan};
use humdrum_plan::{Request, parse_duration};
use humdrum_record::{ResultsFolder, Store, bisect_folder};
use humdrum_sample::gate::OnBusy;

use super::compare::dry_run_text;
use crate::args::{BisectOptions, ResumeOptions};
use crate::lab::Lab;
use crate::verbs::report::bisect::{SCHEMA, read, round_folder};
use ending::conclude;
use round::Comparison;
use script::Script;
use search::Search;
use way::Way;

/// Seconds of a round where the user says nothing; the ends have twice as many.
const ROUND_SECONDS: f64 = 30.0;
/// Rounds beside those that halve the positions: two for the ends, the confirmation, and one position that is measured again.
const ROUNDS_BESIDE: f64 = 4.0;

/// `humdrum bisect GOOD BAD`.
///
/// # Errors
/// Usage, before anything is measured; what ended a round, after what was found until then is kept.
pub fn bisect(lab: &mut Lab, options: &BisectOptions) -> Result<u8, Fault> {
    let mut options = options.clone();
    let given = options.dump.given();
    lab.adopt(&mut options.suite, &given)?;
    let (lab, options) = (&*lab, &options);
    let positions = positions::positions(lab, options)?;
    let rounds = rounds_expected(positions.len(), options.series);
    let budget = options.budget.as_deref().map(parse_duration).transpose();
    let budget_seconds = budget.map_err(|fault| fault.at("--budget"))?;
    let round_seconds = budget_seconds.map_or(ROUND_SECONDS, |seconds| seconds / rounds);
    let [good, bad] = [0, positions.len() - 1].map(|end| positions[end].subject.clone());
    let told = outline(&good, &bad, positions.len(), rounds);
    let about = match options.run {
        Some(_) => about_script(options)?,
        None => about_test(lab, options, &positions, 2.0 * round_seconds)?,
    };
    if options.dry_run {
        anstream::print!("{told}\n\n{}", about.outlook);
        return Ok(0);
    }
    let folder = bisect_folder(options.out.as_deref(), &good, &bad);
    if folder.join("bisect.json").exists() {
        let hint = format!("humdrum resume {0}, or another --out", folder.display());
        return Err(Fault::usage(format!("{} holds a bisect already", folder.display())).hint(hint));
    }
    lab.console.update(Update::Step(&format!("{told}\nresults go to {}/", folder.display())));
    let way = match &about.script {
        Some(script) => Way::Script(Box::new(Script::new(lab, script.clone())?)),
        None => comparison(request(options), options.on_busy.parse()?),
    };
    let fresh_links = options.run.is_none() && round::has_layouts(lab, &positions);
    let bisect = Bisect {
        schema: SCHEMA,
        tool: format!("humdrum {}", env!("CARGO_PKG_VERSION")),
        suite: about.suite,
        test: about.test,
        quantity: about.quantity,
        script: about.script,
        seed: options.seed,
        series: options.series,
        profile: options.profile,
        fresh_links,
        budget_seconds,
        round_seconds,
        seconds: 0.0,
        positions,
        rounds: Vec::new(),
        ends: None,
        levels: Vec::new(),
        posterior: Vec::new(),
        others: Vec::new(),
        rounds_left: rounds.ceil() as u32,
        state: BisectState::Unfinished,
        found: None,
        merged: Vec::new(),
    };
    let search = Search::new(lab, folder, way, bisect);
    search.save()?;
    conclude(lab, search, options.json.as_deref())
}

/// What is followed, and what a round of it will be.
struct About {
    suite: String,
    test: String,
    quantity: String,
    script: Option<BisectScript>,
    /// For --dry-run.
    outlook: String,
}

/// A test of a suite, measured by the lab.
fn about_test(
    lab: &Lab,
    options: &BisectOptions,
    positions: &[BisectPosition],
    seconds: f64,
) -> Result<About, Fault> {
    let _: OnBusy = options.on_busy.parse()?;
    let ends = [0, positions.len() - 1].map(|end| positions[end].subject.clone()).to_vec();
    let plan = round::plan(lab, &Request { subjects: ends, ..request(options) }, seconds)?;
    let outlook = dry_run_text(lab, &plan, None, None)?;
    if !options.dry_run {
        only_one_test(&plan)?;
        humdrum_run::check_confines(&plan, &lab.catalogue)?;
        let ends: Vec<_> = (0..plan.subjects.len()).map(|end| plan.for_engine(end)).collect();
        humdrum_run::check_builds(&ends, &lab.catalogue, &lab.dirs, &lab.console)?;
    }
    let quantity = options.judge.clone();
    Ok(About { suite: plan.suite.clone(), test: plan.tests[0].name.clone(), quantity, script: None, outlook })
}

/// A command of the user's.
fn about_script(options: &BisectOptions) -> Result<About, Fault> {
    let run = options.run.clone().unwrap_or_default();
    let timeout = options.timeout.as_deref().map(parse_duration).transpose();
    let script = BisectScript {
        repository: options.subjects[0].clone().into(),
        prepare: options.prepare.clone(),
        sessions: options.sessions,
        timeout_seconds: timeout.map_err(|fault| fault.at("--timeout"))?,
        run: run.clone(),
    };
    let prepare = script
        .prepare
        .as_deref()
        .map_or_else(String::new, |command| format!("each commit: `{command}`, once\n"));
    let outlook = format!(
        "{prepare}each round: `{run}`, {} times for each of three commits, twice as often for the two ends\n",
        script.sessions
    );
    Ok(About { suite: String::new(), test: run, quantity: "value".to_owned(), script: Some(script), outlook })
}

/// `humdrum resume` of a bisect.
///
/// # Errors
/// Usage when it came to its end, or `bisect.json` cannot be read; else as `bisect`.
pub fn resume(lab: &mut Lab, options: &ResumeOptions) -> Result<u8, Fault> {
    let folder = options.results.clone();
    let mut bisect = read(&folder)?;
    if bisect.state != BisectState::Unfinished {
        return Err(Fault::usage("this bisect came to its end; there is nothing to resume"));
    }
    lab.console.update(Update::Step(&format!("going on after {} rounds", bisect.rounds.len())));
    let way = match &bisect.script {
        Some(script) => Way::Script(Box::new(Script::new(lab, script.clone())?)),
        None => begun_comparison(lab, &folder)?,
    };
    let lab = &*lab;
    bisect.fresh_links = bisect.script.is_none() && round::has_layouts(lab, &bisect.positions);
    conclude(lab, Search::replayed(lab, folder, way, bisect)?, options.json.as_deref())
}

/// The options of a search by the lab are those of its first round.
fn begun_comparison(lab: &mut Lab, folder: &Path) -> Result<Way, Fault> {
    let first = ResultsFolder { folder: round_folder(folder, 1) };
    if !round::is_begun(&first) {
        return Err(Fault::usage("nothing of this bisect was measured yet")
            .hint(format!("remove {} and type the command again", folder.display())));
    }
    let plan = Store::open(&first.results())?.read()?.plan;
    lab.adopt_kept(&plan, &first)?;
    let request = Request { budget: None, ..humdrum_run::with_budget(&plan, "1s") };
    Ok(comparison(request, OnBusy::default()))
}

fn comparison(request: Request, on_busy: OnBusy) -> Way {
    Way::Comparison(Box::new(Comparison { request, on_busy }))
}

/// The request of every round, without its subjects.
fn request(options: &BisectOptions) -> Request {
    Request {
        suite: options.suite.clone(),
        tests: options.test.iter().cloned().collect(),
        scale: options.scale.clone(),
        memory: options.memory.clone(),
        fsync_delay: options.fsync_delay.clone(),
        timeout: options.timeout.clone(),
        judge: vec![options.judge.clone()],
        ..Request::default()
    }
}

fn only_one_test(plan: &Plan) -> Result<(), Fault> {
    let names: Vec<&str> = plan.tests.iter().map(|test| test.name.as_str()).collect();
    match names[..] {
        [_] => Ok(()),
        _ => Err(Fault::usage(format!("a bisect follows one test, and these are {}", names.len()))
            .hint(format!("name one with --tests: {}", names.join(", ")))),
    }
}

/// `bisect of 59 releases after postgres@12.22, the last postgres@18.1: about 10 rounds`.
fn outline(good: &str, bad: &str, positions: usize, rounds: f64) -> String {
    let between = positions - 1;
    format!("bisect from {good} to {bad}: {between} candidates, about {rounds:.0} rounds")
}

/// How many rounds a search over so many positions takes.
fn rounds_expected(positions: usize, series: usize) -> f64 {
    let between = positions.saturating_sub(1).max(1);
    (between as f64).log2().ceil() + ROUNDS_BESIDE + series.min(between - 1) as f64
}

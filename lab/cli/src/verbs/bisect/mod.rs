//! `humdrum bisect`: the release or commit at which a test moved.
//!
//! ```text
//!   OUT/bisect.json               the search: positions, rounds, what is known; written after every round
//!   OUT/rounds/N/results.sqlite   a comparison of the positions of round N, as `humdrum compare` makes it
//! ```

mod positions;
mod round;
mod search;

use std::path::Path;

use humdrum_contract::{Progress, Update};
use humdrum_model::{Bisect, BisectState, Fault, FaultKind, Plan};
use humdrum_plan::{Request, parse_duration};
use humdrum_record::{ResultsFolder, Store, bisect_folder, write_whole};
use humdrum_sample::gate::OnBusy;

use super::compare::dry_run_text;
use super::report::style;
use crate::args::{BisectOptions, ResumeOptions};
use crate::lab::Lab;
use search::Search;

/// Version of the shape of `bisect.json`.
const SCHEMA: u32 = 1;
/// Seconds of a round where the user says nothing; the ends have twice as many.
const ROUND_SECONDS: f64 = 30.0;
/// Rounds beside those that halve the positions: two for the ends, the confirmation, and one position that is measured again.
const ROUNDS_BESIDE: f64 = 4.0;

/// `humdrum bisect GOOD BAD`.
///
/// # Errors
/// Usage, before anything is measured; what ended a round, after what was found until then is kept.
pub fn bisect(lab: &Lab, options: &BisectOptions) -> Result<u8, Fault> {
    let on_busy: OnBusy = options.on_busy.parse()?;
    let positions = positions::positions(lab, options)?;
    let rounds = rounds_expected(positions.len(), options.series);
    let budget = options.budget.as_deref().map(parse_duration).transpose();
    let budget_seconds = budget.map_err(|fault| fault.at("--budget"))?;
    let round_seconds = budget_seconds.map_or(ROUND_SECONDS, |seconds| seconds / rounds);
    let request = request(options);
    let ends = [0, positions.len() - 1].map(|end| positions[end].subject.clone()).to_vec();
    let plan = round::plan(lab, &Request { subjects: ends, ..request.clone() }, 2.0 * round_seconds)?;
    let told =
        outline(&positions[0].subject, &positions[positions.len() - 1].subject, positions.len(), rounds);
    if options.dry_run {
        anstream::print!("{told}\n\n{}", dry_run_text(lab, &plan, None)?);
        return Ok(0);
    }
    only_one_test(&plan)?;
    humdrum_run::check_memory(&plan, &lab.catalogue)?;
    let folder =
        bisect_folder(options.out.as_deref(), &positions[0].subject, &positions[positions.len() - 1].subject);
    if folder.join("bisect.json").exists() {
        let hint = format!("humdrum resume {0}, or another --out", folder.display());
        return Err(Fault::usage(format!("{} holds a bisect already", folder.display())).hint(hint));
    }
    lab.console.update(Update::Step(&format!("{told}\nresults go to {}/", folder.display())));
    let bisect = Bisect {
        schema: SCHEMA,
        tool: format!("humdrum {}", env!("CARGO_PKG_VERSION")),
        suite: plan.suite.clone(),
        test: plan.tests[0].name.clone(),
        quantity: options.judge.clone(),
        seed: options.seed,
        series: options.series,
        budget_seconds,
        round_seconds,
        seconds: 0.0,
        positions,
        rounds: Vec::new(),
        ends: None,
        posterior: Vec::new(),
        others: Vec::new(),
        rounds_left: rounds.ceil() as u32,
        state: BisectState::Unfinished,
        found: None,
    };
    let mut search = Search::new(lab, folder, request, bisect);
    search.on_busy = on_busy;
    search.save()?;
    conclude(lab, search, options.json.as_deref())
}

/// Whether a results folder is that of a bisect.
pub fn is_bisect(folder: &Path) -> bool {
    folder.join("bisect.json").exists()
}

/// `humdrum resume` of a bisect.
///
/// # Errors
/// Usage when it came to its end, or `bisect.json` cannot be read; else as `bisect`.
pub fn resume(lab: &Lab, options: &ResumeOptions) -> Result<u8, Fault> {
    let folder = options.results.clone();
    let file = folder.join("bisect.json");
    let unreadable = |what: String| Fault::usage(format!("cannot read {}: {what}", file.display()));
    let text = std::fs::read_to_string(&file).map_err(|error| unreadable(error.to_string()))?;
    let bisect: Bisect = serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
    if bisect.schema != SCHEMA {
        return Err(unreadable(format!("its schema is {}, and this version knows {SCHEMA}", bisect.schema)));
    }
    if bisect.state != BisectState::Unfinished {
        return Err(Fault::usage("this bisect came to its end; there is nothing to resume"));
    }
    let first = ResultsFolder { folder: round::folder(&folder, 1) };
    if !round::is_begun(&first) {
        return Err(Fault::usage("nothing of this bisect was measured yet")
            .hint(format!("remove {} and type the command again", folder.display())));
    }
    // The options of the search are those of its first round.
    let plan = Store::open(&first.results())?.read()?.plan;
    let request = Request { budget: None, ..humdrum_run::with_budget(&plan, "1s") };
    lab.console.update(Update::Step(&format!("going on after {} rounds", bisect.rounds.len())));
    conclude(lab, Search::replayed(lab, folder, request, bisect)?, options.json.as_deref())
}

/// The request of every round, without its subjects.
fn request(options: &BisectOptions) -> Request {
    Request {
        suite: options.suite.clone(),
        tests: vec![options.test.clone()],
        scale: options.scale.clone(),
        memory: options.memory.clone(),
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

/// Searches to the end, then tells and writes what was found, whatever ended it.
fn conclude(lab: &Lab, mut search: Search<'_>, json: Option<&Path>) -> Result<u8, Fault> {
    let ended = search.go();
    lab.console.clear();
    let Search { bisect, folder, .. } = search;
    if let Err(fault) = ended {
        let go_on = format!("humdrum resume {}", folder.display());
        let keeps_hint = fault.hint.is_some() && fault.kind != FaultKind::Interrupted;
        return Err(if keeps_hint { fault } else { fault.hint(go_on) });
    }
    // Writing plain data to memory cannot fail.
    let text = serde_json::to_string_pretty(&bisect).unwrap_or_default();
    json.map_or(Ok(()), |path| write_whole(path, &text))?;
    if json != Some(Path::new("-")) {
        anstream::print!("{}", humdrum_report::bisect(&bisect, style(lab)));
        let last = round::folder(&folder, bisect.rounds.len());
        anstream::println!("\nresults: {}; a round: humdrum report {}", folder.display(), last.display());
    }
    Ok(if bisect.state == BisectState::Found { 0 } else { 4 })
}

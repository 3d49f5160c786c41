//! `humdrum bisect`: the release or commit at which a test moved.
//!
//! ```text
//!   OUT/bisect.json               the search: what was asked, positions, rounds, what is known; written before and after every round
//!   OUT/suite                     the files of a user's own workload
//!   OUT/report.html               the search for people, when it ends
//!   OUT/rounds/N/results.sqlite   a comparison of the positions of round N, as `humdrum compare` makes it
//!   OUT/rounds/N/runs.json        or, with --run, what the command measured
//!   OUT/inside/bisect.json …      the same of the commits that the step merged, if it is a merge
//! ```

mod asked;
mod ending;
mod inside;
mod positions;
mod round;
mod script;
mod search;
mod way;

use humdrum_contract::{Progress, Update};
use humdrum_model::{Bisect, BisectPosition, BisectRequest, BisectScript, BisectState, Fault, Plan};
use humdrum_plan::{Request, parse_duration};
use humdrum_record::{ResultsFolder, bisect_folder};
use humdrum_sample::gate::OnBusy;

use super::compare::dry_run_text;
use crate::args::{BisectOptions, ResumeOptions};
use crate::lab::Lab;
use crate::verbs::report::bisect::{SCHEMA, is_bisect, read};
use asked::{asked, comparison, request};
use ending::conclude;
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
    let fresh_links = options.run.is_none() && round::has_layouts(lab, &positions);
    if options.builds > 1 && !fresh_links {
        let what = format!("{} is not built here in several layouts", positions[0].subject);
        let hint = "name a repository (postgres@src:PATH GOOD BAD), or leave --builds out";
        return Err(Fault::usage(what).at("--builds").hint(hint));
    }
    let time = Time::of(options, positions.len())?;
    let [good, bad] = [0, positions.len() - 1].map(|end| positions[end].subject.clone());
    let told = outline(&good, &bad, positions.len(), time.rounds);
    let about = match options.run {
        Some(_) => about_script(options)?,
        None => about_test(lab, options, &positions, 2.0 * time.round_seconds)?,
    };
    if options.dry_run {
        anstream::print!("{told}\n\n{}", about.outlook);
        return Ok(0);
    }
    let folder = bisect_folder(options.out.as_deref(), &good, &bad);
    if is_bisect(&folder) {
        let hint = format!("humdrum resume {0}, or another --out", folder.display());
        return Err(Fault::usage(format!("{} holds a bisect already", folder.display())).hint(hint));
    }
    lab.console.update(Update::Step(&format!("{told}\nresults go to {}/", folder.display())));
    let bisect = Bisect { fresh_links, ..unmeasured(options, positions, about, &time) };
    let way = way(lab, &bisect)?;
    let search = Search::new(lab, folder, way, bisect);
    search.begin()?;
    conclude(lab, search, options.json.as_deref())
}

/// What a search may take.
struct Time {
    budget_seconds: Option<f64>,
    round_seconds: f64,
    /// How many rounds are expected.
    rounds: f64,
}

impl Time {
    fn of(options: &BisectOptions, positions: usize) -> Result<Self, Fault> {
        let rounds = rounds_expected(positions, options.series, options.builds);
        let budget = options.budget.as_deref().map(parse_duration).transpose();
        let budget_seconds = budget.map_err(|fault| fault.at("--budget"))?;
        let round_seconds = budget_seconds.map_or(ROUND_SECONDS, |seconds| seconds / rounds);
        Ok(Self { budget_seconds, round_seconds, rounds })
    }
}

/// A search before its first round.
fn unmeasured(options: &BisectOptions, positions: Vec<BisectPosition>, about: About, time: &Time) -> Bisect {
    Bisect {
        schema: SCHEMA,
        tool: format!("humdrum {}", env!("CARGO_PKG_VERSION")),
        suite: about.suite,
        test: about.test,
        quantity: about.quantity,
        script: about.script,
        request: about.request,
        seed: options.seed,
        series: options.series,
        profile: options.profile,
        fresh_links: false,
        builds: options.builds,
        path: options.path.clone(),
        budget_seconds: time.budget_seconds,
        round_seconds: time.round_seconds,
        seconds: 0.0,
        positions,
        rounds: Vec::new(),
        ends: None,
        levels: Vec::new(),
        posterior: Vec::new(),
        others: Vec::new(),
        rounds_left: time.rounds.ceil() as u32,
        state: BisectState::Unfinished,
        found: None,
        merged: Vec::new(),
        goes_inside: false,
    }
}

/// How the rounds of a search are measured.
fn way(lab: &Lab, bisect: &Bisect) -> Result<Way, Fault> {
    match (&bisect.script, &bisect.request) {
        (Some(script), _) => Ok(Way::Script(Box::new(Script::new(lab, script.clone())?))),
        (None, Some(asked)) => comparison(bisect, asked),
        (None, None) => {
            let what = "this bisect was begun by an earlier version, which did not keep what was asked of it";
            Err(Fault::usage(what).hint("type the command again, with another --out"))
        }
    }
}

/// What is followed, and what a round of it will be.
struct About {
    suite: String,
    test: String,
    quantity: String,
    script: Option<BisectScript>,
    request: Option<BisectRequest>,
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
    let subjects = [0, positions.len() - 1].map(|end| positions[end].subject.clone()).to_vec();
    let (asked, quantity) = (asked(options), options.judge.clone());
    let request = Request { subjects, ..request(options.suite.clone(), &quantity, &asked) };
    let plan = round::plan(lab, &request, seconds)?;
    only_one_test(&plan)?;
    let outlook = if options.dry_run { dry_run_text(lab, &plan, None, None)? } else { String::new() };
    if !options.dry_run {
        humdrum_run::check_confines(&plan, &lab.catalogue)?;
        let ends: Vec<_> = (0..plan.subjects.len()).map(|end| plan.for_engine(end)).collect();
        humdrum_run::check_builds(&ends, &lab.catalogue, &lab.dirs, &lab.console)?;
    }
    let asked = BisectRequest { suite_sha256: plan.suite_sha256.clone(), ..asked };
    let test = plan.tests[0].name.clone();
    Ok(About { suite: plan.suite, test, quantity, script: None, request: Some(asked), outlook })
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
    let (suite, quantity) = (String::new(), "value".to_owned());
    Ok(About { suite, test: run, quantity, script: Some(script), request: None, outlook })
}

/// `humdrum resume` of a bisect.
///
/// # Errors
/// Usage when it came to its end, or `bisect.json` cannot be read; else as `bisect`.
pub fn resume(lab: &mut Lab, options: &ResumeOptions) -> Result<u8, Fault> {
    let folder = options.results.clone();
    let mut bisect = read(&folder)?;
    if bisect.state != BisectState::Unfinished {
        let results = folder.join(inside::INSIDE);
        if is_bisect(&results) {
            return resume(lab, &ResumeOptions { results, ..options.clone() });
        }
        return Err(Fault::usage("this bisect came to its end; there is nothing to resume"));
    }
    lab.console.update(Update::Step(&format!("going on after {} rounds", bisect.rounds.len())));
    if let Some(asked) = &bisect.request {
        let out = ResultsFolder { folder: folder.clone() };
        lab.adopt_files((bisect.suite.as_str(), asked.suite_sha256.as_deref()), &out)?;
    }
    let lab = &*lab;
    let way = way(lab, &bisect)?;
    bisect.fresh_links = bisect.script.is_none() && round::has_layouts(lab, &bisect.positions);
    conclude(lab, Search::replayed(lab, folder, way, bisect)?, options.json.as_deref())
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

/// How many rounds a search over so many positions takes; `builds` are confirmed.
fn rounds_expected(positions: usize, series: usize, builds: u32) -> f64 {
    let between = positions.saturating_sub(1).max(1);
    let further = series.min(between - 1) as f64 + f64::from(builds - 1);
    (between as f64).log2().ceil() + ROUNDS_BESIDE + further
}

//! `humdrum extend`: measures the same plan again at other times of day, so that intervals cover more than
//! one hour.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use humdrum_contract::{Progress, Update};
use humdrum_model::{Fault, Plan, Results};
use humdrum_record::{ResultsFolder, Store};
use humdrum_run::Places;

use super::builds::{Ended, further};
use super::conclude::conclude;
use super::report::Shown;
use crate::args::ExtendOptions;
use crate::lab::Lab;
use crate::planned::check;

const DAY: u64 = 24 * 3600;

/// `humdrum extend RESULTS`.
///
/// # Errors
/// Usage when the first run did not come to its end, or a time is none; else as `compare`.
pub fn extend(lab: &mut Lab, options: &ExtendOptions) -> Result<u8, Fault> {
    let times = options.at.iter().map(|text| time_of_day(text)).collect::<Result<Vec<u64>, Fault>>()?;
    let whole = ResultsFolder::open(&options.results)?.whole();
    let first = Store::open(&whole.results())?.read()?;
    refuse_imported(&first, "extend")?;
    if !first.finished {
        return Err(Fault::usage("the first run of these results did not come to its end")
            .hint(format!("humdrum resume {}", whole.folder.display())));
    }
    if let Some(unfinished) = unfinished(&whole)? {
        return Err(Fault::usage("a further run of these results did not come to its end")
            .hint(format!("humdrum resume {}", unfinished.folder.display())));
    }
    lab.adopt_kept(&first.plan, &whole)?;
    let plan = plan(lab, options, &first.plan)?;
    if times.is_empty() {
        return once(lab, options, &whole, &plan);
    }
    let mut code = 0;
    for time in times {
        wait_for(lab, time)?;
        code = once(lab, options, &whole, &plan)?;
    }
    Ok(code)
}

/// One more run, judged together with those that there are.
fn once(lab: &Lab, options: &ExtendOptions, whole: &ResultsFolder, plan: &Plan) -> Result<u8, Fault> {
    let on_busy = options.on_busy.parse()?;
    let places = |out: &ResultsFolder| Places { on_busy, ..lab.places(options.allow_external, out.logs()) };
    let Ended { store, out, measured } = further(lab, plan, whole, places)?;
    conclude(lab, store, &out, Shown::of(options.json.as_deref()), plan.strict, measured)
}

/// The first run's plan, with the design that another budget buys.
fn plan(lab: &Lab, options: &ExtendOptions, first: &Plan) -> Result<Plan, Fault> {
    let Some(budget) = &options.budget else { return Ok(first.clone()) };
    let request = humdrum_run::with_budget(first, budget);
    let plan = check(&request, &lab.catalogue, &lab.dirs(options.allow_external))?;
    Ok(Plan { builds: first.builds, after_load: first.after_load.clone(), ..plan })
}

fn unfinished(whole: &ResultsFolder) -> Result<Option<ResultsFolder>, Fault> {
    for run in whole.further_runs()? {
        let results: Results = Store::open(&run.results())?.read()?;
        if !results.finished {
            return Ok(Some(run));
        }
    }
    Ok(None)
}

/// Seconds after midnight, UTC, from `03:00`.
fn time_of_day(text: &str) -> Result<u64, Fault> {
    let parts = text.split_once(':').map(|(hours, minutes)| (hours.parse(), minutes.parse()));
    match parts {
        Some((Ok(hours @ 0..24), Ok(minutes @ 0..60))) => Ok(3600 * hours + 60 * minutes),
        _ => Err(Fault::usage(format!("`{text}` is no time of day"))
            .hint("give hours and minutes, UTC: --at 03:00,15:30")),
    }
}

/// Waits until the next such time of day.
fn wait_for(lab: &Lab, time: u64) -> Result<(), Fault> {
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    // The clock may be set back while this waits.
    let begun = now();
    let until = begun + (time + DAY - begun % DAY) % DAY;
    let what = format!("waiting for {:02}:{:02} UTC", time / 3600, time % 3600 / 60);
    while now() < until {
        let (done, total) = (now().saturating_sub(begun), Some(until - begun));
        lab.console.update(Update::Part { what: &what, done, total, unit: "seconds" });
        lab.dirs.interrupt.check()?;
        std::thread::sleep(Duration::from_millis(200));
    }
    Ok(())
}

/// Refuses to measure where others measured.
///
/// # Errors
/// Usage: the results are imported.
pub(super) fn refuse_imported(results: &Results, verb: &str) -> Result<(), Fault> {
    if results.plan.imported.is_none() {
        return Ok(());
    }
    Err(Fault::usage(format!("these results are imported; there is nothing that {verb} could measure again"))
        .hint("humdrum compare measures the same question here; humdrum import reads further files"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_are_hours_and_minutes() {
        assert_eq!(time_of_day("03:30").unwrap(), 3 * 3600 + 30 * 60);
        for wrong in ["3", "24:00", "12:60", "-1:00", ":", "noon"] {
            let fault = time_of_day(wrong).unwrap_err();
            assert_eq!((fault.exit_code(), fault.hint.is_some()), (2, true), "{wrong}");
        }
    }
}

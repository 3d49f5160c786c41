//! The checks of a project on a branch of its repository: `--history`.

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use humdrum_contract::{Progress, Update};
use humdrum_model::{Checked, Fault};
use humdrum_provision::checksum;
use humdrum_provision::results_branch::{Kept, ResultsBranch, file_of};
use humdrum_report::SitePage;

use crate::judged::Judged;
use crate::lab::Lab;

/// How often it begins again where other checks end at the same time.
const TRIES: u32 = 10;
/// The longest pause before the second try; it grows with each.
const PAUSE_MS: u64 = 400;

/// All checks of the branch. Called before a run, so that hours are not measured for a branch that cannot be read.
///
/// # Errors
/// Environment: a file of the branch that is no check, or one of a later version.
pub(super) fn read_all(branch: &ResultsBranch, kept: &Kept) -> Result<Vec<Checked>, Fault> {
    kept.texts.iter().map(|(name, text)| read(branch, name, text)).collect()
}

/// Adds a check to the branch, and draws all that are there anew.
///
/// # Errors
/// Environment: git does not write or push; a file of the branch that is no check.
pub(super) fn keep(lab: &Lab, branch: &ResultsBranch, judged: &Judged) -> Result<(), Fault> {
    let Some(check) = humdrum_analyse::checked(&judged.results, &judged.summary) else {
        anstream::eprintln!("no test has a ratio: the branch `{}` stays as it is", branch.shown());
        return Ok(());
    };
    lab.console.update(Update::Step(&format!("adding to the branch {}", branch.shown())));
    for attempt in 0..TRIES {
        lab.dirs.interrupt.check()?;
        let kept = branch.read()?;
        let mut checks = read_all(branch, &kept)?;
        checks.push(check.clone());
        if branch.extend(&kept, &files(&check, &checks), &message(&check))? {
            let many = humdrum_report::checks_counted(checks.len());
            anstream::eprintln!("{many} on the branch {}", branch.shown());
            return Ok(());
        }
        // Checks that ended together would collide again.
        std::thread::sleep(pause(attempt));
    }
    Err(Fault::environment(format!("others extend the branch `{}` all the time", branch.shown()))
        .hint("the results folder has this check, the branch has not"))
}

/// Chosen by chance, longer with each attempt.
fn pause(attempt: u32) -> Duration {
    let chance = RandomState::new().hash_one(attempt);
    Duration::from_millis(chance % (PAUSE_MS * u64::from(attempt + 1)))
}

fn read(branch: &ResultsBranch, name: &str, text: &str) -> Result<Checked, Fault> {
    let wrong = |why: &str| {
        Fault::environment(format!("{name} on the branch `{}` is no check: {why}", branch.shown()))
    };
    let check: Checked = serde_json::from_str(text).map_err(|error| wrong(&error.to_string()))?;
    match check.schema {
        Checked::SCHEMA => Ok(check),
        schema => Err(wrong(&format!("its format is {schema}, and this humdrum reads {}", Checked::SCHEMA))),
    }
}

/// The new check, and the pages of all.
fn files(check: &Checked, checks: &[Checked]) -> Vec<(String, String)> {
    let series = humdrum_analyse::check_series(checks);
    let pages = humdrum_report::check_history(checks, &series);
    let named = |page: SitePage| (page.path, page.text);
    // Writing plain data to memory cannot fail.
    let text = serde_json::to_string_pretty(check).unwrap_or_default() + "\n";
    let name = file_of(&file_name(check, &text));
    std::iter::once((name, text)).chain(pages.into_iter().map(named)).collect()
}

/// Its time, down to the second, the change, and its content: checks of several suites or hosts may begin together.
fn file_name(check: &Checked, text: &str) -> String {
    let kept = |text: &str, most: usize| -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        text.chars().take(most).map(plain).collect()
    };
    let content = checksum::sha256_of_bytes(text.as_bytes());
    format!("{}-{}-{}", kept(&check.started, 19), kept(&check.head, 12), kept(&content, 8))
}

fn message(check: &Checked) -> String {
    format!("Check of {} {} beside {}", check.engine, check.head, check.base)
}

//! The checks of a project on a branch of its repository: `--history`.

use humdrum_contract::{Progress, Update};
use humdrum_model::{Checked, Fault};
use humdrum_provision::results_branch::{ResultsBranch, file_of};
use humdrum_report::SitePage;

use crate::judged::Judged;
use crate::lab::Lab;

/// How often it begins again where other checks end at the same time.
const TRIES: u32 = 10;

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
    for _ in 0..TRIES {
        lab.dirs.interrupt.check()?;
        let kept = branch.read()?;
        let mut checks =
            kept.texts.iter().map(|(name, text)| read(branch, name, text)).collect::<Result<Vec<_>, _>>()?;
        checks.push(check.clone());
        if branch.extend(&kept, &files(&check, &checks), &message(&check))? {
            let many = humdrum_report::checks_counted(checks.len());
            anstream::eprintln!("{many} on the branch {}", branch.shown());
            return Ok(());
        }
    }
    Err(Fault::environment(format!("others extend the branch `{}` all the time", branch.shown()))
        .hint("the results folder has this check; run it again later"))
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
    let name = file_of(&file_name(check));
    std::iter::once((name, text)).chain(pages.into_iter().map(named)).collect()
}

/// Its time, down to the second, and the change.
fn file_name(check: &Checked) -> String {
    let kept = |text: &str, most: usize| -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        text.chars().take(most).map(plain).collect()
    };
    format!("{}-{}", kept(&check.started, 19), kept(&check.head, 12))
}

fn message(check: &Checked) -> String {
    format!("Check of {} {} beside {}", check.engine, check.head, check.base)
}

//! `humdrum explain` where it measures. With `--examine`, it runs tests that were not examined after their run. With `--prove`, it
//! measures the share of single settings in fresh blocks. With `--profile`, it samples fresh servers with `perf` and a debugger, and
//! shows the functions that take the time and the waits.

mod examine;
mod profile;
mod prove;

use humdrum_explain::Experiments;
use humdrum_model::Fault;
use humdrum_record::{ResultsFolder, Store};

pub use profile::profile;

use super::explained::{self, told, wanted};
use super::extend::refuse_imported;
use crate::args::ExplainOptions;
use crate::kept;
use crate::lab::Lab;

/// `humdrum explain RESULTS [TEST]`.
///
/// # Errors
/// Usage for a missing or foreign file, an unknown test or subject; as `compare` where it measures.
pub fn explain(lab: &mut Lab, options: &ExplainOptions) -> Result<u8, Fault> {
    if options.measures().is_none() {
        return explained::explain(lab, options);
    }
    let out = ResultsFolder::open(&options.results)?;
    let mut store = Store::open(&out.results_at(&options.results))?;
    let head = store.read_head()?;
    refuse_imported(&head, "explain")?;
    lab.adopt_kept(&head.plan, &out)?;
    if options.examine {
        examine::examine(lab, options, &out, &mut store)?;
    }
    let results = store.read()?;
    drop(store);
    let summary = humdrum_analyse::summarise(&results);
    let wanted = wanted(&summary, options)?;
    let mut explanations = Vec::new();
    for (number, test) in wanted {
        let carried = if options.prove {
            prove::prove(lab, options, &out, &results, number, test)?
        } else {
            kept::proofs(&out, &results, number, &test.test)
        };
        let profiles = if options.profile {
            profile(lab, options.allow_external, &out, &results, (number, test))?
        } else {
            kept::profiles(&out, number, &test.test)
        };
        let apart = Experiments { carried, profiles };
        explanations.push(told(&results, &summary, number, test, apart, options));
    }
    explained::show(lab, &summary, &explanations, options);
    Ok(0)
}

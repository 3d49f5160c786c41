//! What was asked of the lab for every round. It is in `bisect.json` before the first of them, so that a search goes on whenever it was
//! ended.

use humdrum_model::{Bisect, BisectRequest, Fault};
use humdrum_plan::Request;

use super::round::Comparison;
use super::way::Way;
use crate::args::BisectOptions;

/// What the options ask.
pub fn asked(options: &BisectOptions) -> BisectRequest {
    BisectRequest {
        test: options.test.clone().unwrap_or_default(),
        scale: options.scale.clone(),
        memory: options.memory.clone(),
        fsync_delay: options.fsync_delay.clone(),
        timeout: options.timeout.clone(),
        on_busy: options.on_busy.clone(),
        suite_sha256: None,
    }
}

/// The request of every round, without its subjects.
pub fn request(suite: Option<String>, quantity: &str, asked: &BisectRequest) -> Request {
    Request {
        suite,
        tests: vec![asked.test.clone()],
        scale: asked.scale.clone(),
        memory: asked.memory.clone(),
        fsync_delay: asked.fsync_delay.clone(),
        timeout: asked.timeout.clone(),
        judge: vec![quantity.to_owned()],
        ..Request::default()
    }
}

/// Rounds that are comparisons by the lab.
///
/// # Errors
/// Usage: a word for busy hosts that there is not.
pub fn comparison(bisect: &Bisect, asked: &BisectRequest) -> Result<Way, Fault> {
    let request = request(Some(bisect.suite.clone()), &bisect.quantity, asked);
    Ok(Way::Comparison(Box::new(Comparison { request, on_busy: asked.on_busy.parse()? })))
}

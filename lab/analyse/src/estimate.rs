//! The present estimate of the ratio of one (test, subject), and the rules behind it: plain data.

use humdrum_model::Design;

use crate::evidence::Evidence;

/// The fixed rules of a run that every estimate uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules<'a> {
    /// The design.
    pub design: &'a Design,
    /// Tests times subjects.
    pub family: usize,
    /// Nothing more will be measured.
    pub finished: bool,
}

/// The present estimate of the ratio of one (test, subject); everything in ln units.
#[derive(Clone, Debug)]
pub(crate) struct Estimate {
    /// Mean of the session values.
    pub mean: f64,
    /// Sd between sessions; `None` for a single session.
    pub sd: Option<f64>,
    /// Half-width of the reported interval.
    pub half: f64,
    /// Half-width at the Bonferroni level of the family, for stopping early.
    pub half_family: f64,
    /// Degrees of freedom of `sd`; 0 for a single session.
    pub freedom: f64,
    /// p of "the change is at most δ", valid under repeated looks; `None` for a single session.
    pub p: Option<f64>,
    /// The planned number of sessions is reached.
    pub capped: bool,
    /// No further session is needed for this subject.
    pub settled: bool,
    /// The sessions that it was computed from.
    pub evidence: Evidence,
}

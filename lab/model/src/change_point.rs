//! A series of results over time, and where its level changed.

/// One result of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesValue {
    /// ln of a ratio.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
}

/// Half of a 95 % interval in standard errors, of a normal distribution.
pub const HALF_95: f64 = 1.96;

impl SeriesValue {
    /// Of a ratio with its 95 % interval; not a number where there is none.
    pub fn of(ratio: Option<f64>, ci95: Option<[f64; 2]>) -> Self {
        let value = ratio.filter(|ratio| *ratio > 0.0).map_or(f64::NAN, f64::ln);
        let error = ci95.map_or(f64::NAN, |[low, high]| (high.ln() - low.ln()) / (2.0 * HALF_95));
        Self { value, error }
    }
}

/// A place at which the level of a series changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangePoint {
    /// The first result of the new level.
    pub at: usize,
    /// New level relative to the old one.
    pub ratio: f64,
    /// 95 % interval of `ratio`; it covers the errors of the results and what results of one level differ by beyond these.
    pub ci95: [f64; 2],
    /// p of "no change", by permutations of the results between the change before it and the one after it.
    pub p: f64,
}

//! A series of results over time, and where its level changed.

/// One result of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesValue {
    /// ln of a ratio.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
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

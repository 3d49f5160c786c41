//! A metric carries its own name, unit, direction and description, so that a result from years ago still
//! renders without the code that measured it.

use serde::{Deserialize, Serialize};

/// Which direction is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// More is better.
    More,
    /// Less is better.
    Less,
    /// Neither: it explains.
    Neither,
}

/// How readings combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MetricKind {
    /// Grows; the difference between a slice's two edges belongs to the slice.
    Counter,
    /// A level at the moment of reading; the slice gets the reading at its end.
    Gauge,
}

/// One quantity that is read at slice edges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metric {
    /// Name with the unit last (`server_cpu_ns`).
    pub name: String,
    /// Unit of one reading (`ns`, `count`, `KiB`).
    pub unit: String,
    /// Which direction is good.
    pub better: Better,
    /// Counter or gauge.
    pub kind: MetricKind,
    /// One line for people.
    pub description: String,
}

impl Metric {
    /// Index of the metric of that name: where its reading is in every list of readings that `metrics` describes.
    pub fn position(metrics: &[Self], name: &str) -> Option<usize> {
        metrics.iter().position(|metric| metric.name == name)
    }
}

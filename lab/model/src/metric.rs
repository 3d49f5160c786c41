//! Metrics with their own name, unit, direction and description, so that an old result can be rendered without the
//! code that measured it.

use serde::{Deserialize, Serialize};

/// Which direction is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// More is better.
    More,
    /// Less is better.
    Less,
    /// Neither: the metric only explains.
    Neither,
}

/// How readings combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MetricKind {
    /// It grows. A slice has the difference between its two edges.
    Counter,
    /// It is a level. A slice has the reading at its end.
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
    /// Index of the metric of that name, which is the index of its reading in every list that `metrics`
    /// describes.
    pub fn position(metrics: &[Self], name: &str) -> Option<usize> {
        metrics.iter().position(|metric| metric.name == name)
    }
}

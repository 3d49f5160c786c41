//! One file per host metric.

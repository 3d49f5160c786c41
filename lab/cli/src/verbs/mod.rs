//! One file per verb.

pub mod beside;
pub mod bisect;
pub mod build;
mod builds;
pub mod capture;
pub mod ci;
pub mod clean;
pub mod compare;
pub mod doctor;
pub mod experiments;
pub mod explain;
pub mod extend;
pub mod fetch;
pub mod fleet;
pub mod import;
pub mod manual;
pub mod merge;
pub mod pack;
pub mod published;
pub mod report;
pub mod resume;
pub mod selftest;
pub mod site;
pub mod suite;
pub mod up;
pub mod upgrade;
pub mod versions;

//! A known slowdown, put into a subject on purpose. A selftest must find it.

use crate::{AFTER_LOAD, Setting, Subject};

/// Names of the settings that inject something.
const INJECTED: [&str; 2] = ["inject", "inject_stall"];

/// A known slowdown of one subject.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Injection {
    /// Share of operations that take twice as long as they would, evenly spread.
    pub repeated: f64,
    /// Share of slices that are held back.
    pub stalled: f64,
    /// How many times as long a slice takes that is held back.
    pub stall_factor: f64,
    /// Decides which operations take twice as long.
    pub seed: u64,
}

impl Injection {
    /// Throughput that is left, as a fraction of what it would be.
    pub fn throughput_left(&self) -> f64 {
        1.0 / ((1.0 + self.repeated) * (1.0 + self.stalled * (self.stall_factor - 1.0).max(0.0)))
    }
}

impl Subject {
    /// Its settings that inject something, as (name, value).
    pub fn injected(&self) -> Vec<(&str, &str)> {
        let settings = self.settings.iter().filter(|setting| INJECTED.contains(&name(setting)));
        let pairs = settings.map(|setting| match setting {
            Setting::Value { key, value } => (key.as_str(), value.as_str()),
            Setting::Named(name) => (name.as_str(), ""),
        });
        pairs.collect()
    }

    /// The subject as its engine gets it: without the settings that belong to the lab.
    #[must_use]
    pub fn for_engine(&self) -> Self {
        let settings = self.settings.iter().filter(|setting| !is_ours(setting)).cloned().collect();
        Self { settings, ..self.clone() }
    }
}

fn is_ours(setting: &Setting) -> bool {
    INJECTED.contains(&name(setting)) || name(setting) == AFTER_LOAD
}

fn name(setting: &Setting) -> &str {
    let (Setting::Value { key: name, .. } | Setting::Named(name)) = setting;
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;

    #[test]
    fn engines_do_not_see_what_belongs_to_the_lab() {
        let value = |key: &str| Setting::Value { key: key.into(), value: "1%".into() };
        let subject = Subject {
            label: "a".into(),
            engine: "fake".into(),
            place: Place::Version("1".into()),
            settings: vec![
                value("work_mem"),
                value("inject"),
                Setting::Named("inject_stall".into()),
                value("after_load"),
            ],
        };
        assert_eq!(subject.injected(), [("inject", "1%"), ("inject_stall", "")]);
        assert_eq!(subject.for_engine().settings, [value("work_mem")]);
    }

    #[test]
    fn what_is_left_is_the_product_of_both() {
        let stall = Injection { stalled: 0.05, stall_factor: 20.0, ..Injection::default() };
        assert!((stall.throughput_left() - 1.0 / 1.95).abs() < 1e-12);
        let repeat = Injection { repeated: 0.02, ..Injection::default() };
        assert!((repeat.throughput_left() - 1.0 / 1.02).abs() < 1e-12);
        assert_eq!(Injection::default().throughput_left(), 1.0);
    }
}

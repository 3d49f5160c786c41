//! What the calibration kernel's readings say about sessions: the share of the scatter of ratios, and of the base's own speed,
//! that goes with them. A control variate removes that share and no more.

use std::collections::BTreeMap;

use humdrum_model::{HostReading, Results, TestInfo};

/// A part of the kernel.
type Part = fn(&HostReading) -> f64;

const PARTS: [(&str, Part); 3] = [
    ("integers", |reading| reading.integer_ns),
    ("memory", |reading| reading.memory_ns),
    ("system calls", |reading| reading.call_ns),
];

/// Sessions of all tests, each less the mean of its test.
#[derive(Default)]
pub struct Sessions {
    /// ln ratios.
    ratios: Vec<f64>,
    /// ln of the base's time per operation.
    base: Vec<f64>,
    /// ln of each part of the kernel.
    kernel: [Vec<f64>; PARTS.len()],
}

impl Sessions {
    /// Adds a test's sessions: by number the ln ratio, and the ln of the base's time per operation.
    pub fn add(&mut self, results: &Results, test: &TestInfo, sessions: &BTreeMap<u32, (f64, f64)>) {
        let read: Vec<(f64, f64, [f64; PARTS.len()])> = sessions
            .iter()
            .filter_map(|(number, (ratio, base))| Some((*ratio, *base, parts(results, test, *number)?)))
            .collect();
        self.ratios.extend(centred(read.iter().map(|one| one.0)));
        self.base.extend(centred(read.iter().map(|one| one.1)));
        for (place, values) in self.kernel.iter_mut().enumerate() {
            values.extend(centred(read.iter().map(|one| one.2[place])));
        }
    }

    /// One line for each part of the kernel.
    pub fn lines(&self) -> Vec<String> {
        let line = |(name, values): (&str, &Vec<f64>)| {
            format!(
                "{name}: {:.1} % of the variance of sessions' ratios, {:.1} % of that of the base's own speed ({} sessions)",
                100.0 * shared(values, &self.ratios),
                100.0 * shared(values, &self.base),
                self.ratios.len()
            )
        };
        PARTS.iter().map(|(name, _)| *name).zip(&self.kernel).map(line).collect()
    }
}

/// Means of the ln readings beside a cell; `None` without any.
fn parts(results: &Results, test: &TestInfo, session: u32) -> Option<[f64; PARTS.len()]> {
    let own: Vec<&HostReading> = results
        .host_readings
        .iter()
        .filter(|reading| reading.session == session && reading.test == test.name)
        .collect();
    let mean = |part: Part| own.iter().map(|reading| part(reading).ln()).sum::<f64>() / own.len() as f64;
    (!own.is_empty()).then(|| PARTS.map(|(_, part)| mean(part)))
}

fn centred(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let values: Vec<f64> = values.collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| value - mean).collect()
}

/// Squared correlation of centred values; 0 where one of them does not vary.
fn shared(one: &[f64], other: &[f64]) -> f64 {
    let product = |left: &[f64], right: &[f64]| left.iter().zip(right).map(|(l, r)| l * r).sum::<f64>();
    let squares = product(one, one) * product(other, other);
    if squares > 0.0 { product(one, other).powi(2) / squares } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shared_variance_is_the_squared_correlation() {
        assert!((shared(&[-1.0, 0.0, 1.0], &[-2.0, 0.0, 2.0]) - 1.0).abs() < 1e-12);
        assert!(shared(&[-1.0, 0.0, 1.0], &[1.0, -2.0, 1.0]) < 1e-12);
        assert!(shared(&[0.0, 0.0], &[1.0, -1.0]) < 1e-12);
    }
}

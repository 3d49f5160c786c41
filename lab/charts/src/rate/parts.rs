//! The data of a rate chart: the means of all series over equal parts of the time.

use super::RateSeries;

/// Most parts of the time. Each is a dot in every panel, and more dots would overlap.
pub(super) const PARTS_MAX: usize = 200;

/// One part of the time.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// Which of the equal parts.
    pub(super) place: usize,
    pub(super) seconds: Mean,
    /// By subject: rates of blocks that count, and of discarded ones.
    pub(super) kept: Vec<Mean>,
    pub(super) lost: Vec<Mean>,
}

impl Part {
    pub(super) fn has_lost(&self) -> bool {
        self.lost.iter().any(|mean| mean.count > 0)
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mean {
    sum: f64,
    count: u32,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    pub(super) fn get(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}

/// Equal parts of the time with the means of all series. Parts without blocks are left out.
pub(super) fn parts(series: &[RateSeries]) -> Vec<Part> {
    let usable = |one: &RateSeries| -> Vec<(f64, f64, bool)> {
        one.points.iter().copied().filter(|point| point.0.is_finite() && point.1.is_finite()).collect()
    };
    let all: Vec<Vec<(f64, f64, bool)>> = series.iter().map(usable).collect();
    let seconds = || all.iter().flatten().map(|point| point.0);
    let (first, last) =
        (seconds().fold(f64::INFINITY, f64::min), seconds().fold(f64::NEG_INFINITY, f64::max));
    let empty = vec![Mean::default(); series.len()];
    let part = |place| Part { place, kept: empty.clone(), lost: empty.clone(), ..Part::default() };
    let mut parts: Vec<Part> = (0..PARTS_MAX).map(part).collect();
    for (number, points) in all.iter().enumerate() {
        for (seconds, qps, discarded) in points {
            // If all blocks are at one moment, the share is not a number, and the cast makes it the first part.
            let place = ((seconds - first) / (last - first) * PARTS_MAX as f64) as usize;
            let part = &mut parts[place.min(PARTS_MAX - 1)];
            part.seconds.add(*seconds);
            if *discarded { part.lost[number].add(*qps) } else { part.kept[number].add(*qps) }
        }
    }
    parts.retain(|part| part.seconds.count > 0);
    parts
}

//! The rate of a run over its time, from the lines that a tool prints every few seconds. As many points are kept as a chart
//! can show, however long the run was.

use humdrum_model::RunRate;

/// More points are joined by twos.
const POINTS_MAX: usize = 1200;

/// Rates of neighbouring intervals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    points: Vec<RunRate>,
    /// Intervals that a point has.
    joined: usize,
    /// Of the last point, which is not full yet.
    pending: usize,
}

impl Course {
    /// Adds an interval that ended `seconds` after the run's start. Numbers that no run can have are left out.
    pub fn push(&mut self, seconds: f64, rate: f64) {
        let possible = seconds.is_finite() && seconds >= 0.0 && rate.is_finite() && rate >= 0.0;
        if !possible {
            return;
        }
        self.joined = self.joined.max(1);
        match self.points.last_mut().filter(|_| self.pending > 0 && self.pending < self.joined) {
            Some(last) => {
                // Intervals of one run are equally long, so that their mean is that of the joined ones.
                let before = self.pending as f64;
                *last = RunRate { seconds, rate: (last.rate * before + rate) / (before + 1.0) };
                self.pending += 1;
            }
            None => {
                self.points.push(RunRate { seconds, rate });
                self.pending = 1;
            }
        }
        if self.points.len() > POINTS_MAX {
            self.halve();
        }
    }

    fn halve(&mut self) {
        let join = |pair: &[RunRate]| match pair {
            [one, other] => RunRate { seconds: other.seconds, rate: 0.5 * (one.rate + other.rate) },
            _ => pair[0],
        };
        let alone = self.points.len() % 2 == 1;
        self.points = self.points.chunks(2).map(join).collect();
        self.pending = if alone { self.pending } else { 2 * self.joined };
        self.joined *= 2;
    }

    /// All points, in order of time.
    pub fn points(&self) -> &[RunRate] {
        &self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_run_keeps_every_interval() {
        let mut course = Course::default();
        course.push(1.0, 5.0);
        course.push(2.0, 7.0);
        course.push(f64::NAN, 7.0);
        course.push(3.0, f64::INFINITY);
        let expected = [RunRate { seconds: 1.0, rate: 5.0 }, RunRate { seconds: 2.0, rate: 7.0 }];
        assert_eq!(course.points(), expected);
    }

    #[test]
    fn a_long_run_keeps_its_shape_in_few_points() {
        let mut course = Course::default();
        for second in 0..100_000 {
            course.push(f64::from(second + 1), if second < 50_000 { 100.0 } else { 300.0 });
        }
        let points = course.points();
        assert!(points.len() <= POINTS_MAX && points.len() > POINTS_MAX / 4, "{}", points.len());
        assert!(points.windows(2).all(|pair| pair[0].seconds < pair[1].seconds));
        assert_eq!((points[0].rate, points[points.len() - 1].rate), (100.0, 300.0));
        let mean = points.iter().map(|point| point.rate).sum::<f64>() / points.len() as f64;
        assert!((mean - 200.0).abs() < 1.0, "{mean}");
    }
}

//! How fast and how steady the host was, by the readings of the calibration kernel beside the blocks.

use humdrum_model::{HostReading, HostSpeed, Spread};

use crate::robust::quantile;

/// `None` without readings: of results of earlier versions, and where time is made up.
pub(crate) fn host_speed(readings: &[HostReading]) -> Option<HostSpeed> {
    let spread = |part: fn(&HostReading) -> f64| {
        let values: Vec<f64> = readings.iter().map(part).collect();
        let [p5, p50, p95] = [0.05, 0.5, 0.95].map(|fraction| quantile(&values, fraction));
        Some(Spread { p5: p5?, p50: p50?, p95: p95? })
    };
    Some(HostSpeed {
        readings: readings.len(),
        off: readings.iter().filter(|reading| reading.off.is_some()).count(),
        integer_ns: spread(|reading| reading.integer_ns)?,
        memory_ns: spread(|reading| reading.memory_ns)?,
        call_ns: spread(|reading| reading.call_ns)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_by_part_and_readings_that_are_off() {
        let reading = |number: u32| HostReading {
            test: "t".into(),
            session: 0,
            integer_ns: 1.0,
            memory_ns: f64::from(number),
            call_ns: 5.0,
            off: (number > 98).then(|| "memory walk".into()),
        };
        let found = host_speed(&(0..=100).map(reading).collect::<Vec<_>>()).expect("readings");
        assert_eq!((found.readings, found.off), (101, 2));
        assert_eq!(found.memory_ns, Spread { p5: 5.0, p50: 50.0, p95: 95.0 });
        assert_eq!(host_speed(&[]), None);
    }
}

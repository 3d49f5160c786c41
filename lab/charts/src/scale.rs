//! Maps values to places on the page, and chooses ticks.

/// A linear map of `[low, high]` onto `[from, to]` pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// A scale. A range that is empty or not finite becomes one of width 1 around its start, to avoid dividing by zero.
    pub(crate) fn new(low: f64, high: f64, from: f64, to: f64) -> Self {
        let low = if low.is_finite() { low } else { 0.0 };
        let high = if high.is_finite() && high > low { high } else { low + 1.0 };
        Self { low, high, from, to }
    }

    /// The place of a value. Values outside are at the edge.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let part = (value - self.low) / (self.high - self.low);
        self.from + part.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// The middle of the pixels.
    pub(crate) fn middle(&self) -> f64 {
        (self.from + self.to) / 2.0
    }

    pub(crate) fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// At most about `wanted` round values within the range, with the decimals they need.
    pub(crate) fn ticks(&self, wanted: u32) -> (Vec<f64>, usize) {
        let rough = (self.high - self.low) / f64::from(wanted.max(1));
        let power = 10f64.powf(rough.log10().floor());
        let factor =
            [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough * 0.999).unwrap_or(10.0);
        let step = factor * power;
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        let decimals = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
        ((first..=last).take(64).map(|number| number as f64 * step).collect(), decimals)
    }
}

/// A coordinate with one decimal, which is finer than any screen.
pub(crate) fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// A number with more digits than can be drawn, but short.
pub(crate) fn number(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 1000.0 => 0,
        size if size >= 10.0 => 1,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

/// At most `letters` letters, with an ellipsis for the rest, because SVG text does not wrap.
pub(crate) fn brief(text: &str, letters: usize) -> String {
    if text.chars().count() <= letters {
        return text.to_owned();
    }
    text.chars().take(letters.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ticks_are_round() {
        let (ticks, decimals) = Scale::new(0.95, 1.05, 0.0, 1.0).ticks(5);
        let shown: Vec<String> = ticks.iter().map(|tick| format!("{tick:.decimals$}")).collect();
        assert_eq!(shown, ["0.96", "0.98", "1.00", "1.02", "1.04"]);
        assert_eq!(Scale::new(0.0, 2.1, 0.0, 1.0).ticks(5).0.len(), 5);
    }

    proptest! {
        #[test]
        fn places_are_finite_and_inside(low in any::<f64>(), high in any::<f64>(), value in any::<f64>()) {
            let scale = Scale::new(low, high, 10.0, 90.0);
            let place = scale.place(value);
            prop_assert!(place.is_nan() == value.is_nan() || (high - low).is_infinite());
            prop_assert!(!place.is_finite() || (10.0..=90.0).contains(&place));
        }

        #[test]
        fn ticks_stay_inside(low in -1e6..1e6f64, size in 1e-3..1e6f64) {
            let scale = Scale::new(low, low + size, 0.0, 1.0);
            let (ticks, _) = scale.ticks(6);
            prop_assert!(ticks.iter().all(|tick| *tick >= low - size * 1e-6 && *tick <= low + size * (1.0 + 1e-6)));
            prop_assert!(ticks.len() <= 8);
        }
    }
}

//! A delay in words.

/// `2s`, `5ms` or `500us`: the largest unit in which it is a whole number. `--fsync-delay` takes the same form.
pub fn delay_text(microseconds: u64) -> String {
    let units = [(1_000_000, "s"), (1_000, "ms")];
    let whole = units.iter().find(|(unit, _)| microseconds > 0 && microseconds.is_multiple_of(*unit));
    whole.map_or_else(|| format!("{microseconds}us"), |(unit, name)| format!("{}{name}", microseconds / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_unit_that_divides_it() {
        assert_eq!(
            [2_000_000, 1_500_000, 5_000, 500, 0].map(delay_text),
            ["2s", "1500ms", "5ms", "500us", "0us"]
        );
    }
}

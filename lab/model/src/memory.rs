//! A limit of memory in words.

/// `1G`, `256M` or bytes: the largest unit in which it is a whole number. `--memory` takes the same form.
pub fn memory_text(bytes: u64) -> String {
    let units = [(1_u64 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")];
    let whole = units.iter().find(|(unit, _)| bytes > 0 && bytes.is_multiple_of(*unit));
    whole.map_or_else(|| bytes.to_string(), |(unit, letter)| format!("{}{letter}", bytes / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_unit_that_divides_it() {
        let texts = [1 << 30, 1536 << 20, 256 << 20, 3 << 10, 1000, 0].map(memory_text);
        assert_eq!(texts, ["1G", "1536M", "256M", "3K", "1000", "0"]);
    }
}

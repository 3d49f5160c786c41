//! Settings that differ, in two kinds: those that subjects hold at different values, and those that not all of them
//! have. Between engines and distant releases the second kind is hundreds long and explains little.

use std::collections::BTreeSet;

/// A setting's name and its value in each subject, `None` where a subject does not have it.
pub(crate) type Row = (String, Vec<Option<String>>);

/// (Of different values where it is known at all, known to some subjects only and equal among those.)
pub(crate) fn split(rows: &[Row]) -> (Vec<&Row>, Vec<&Row>) {
    rows.iter().partition(|(_, values)| values.iter().flatten().collect::<BTreeSet<_>>().len() > 1)
}

/// The second kind in words, for reports that do not list it.
pub(crate) fn known_to_some(count: usize) -> String {
    let settings = if count == 1 { "1 setting is".to_owned() } else { format!("{count} settings are") };
    format!("{settings} not known to every subject")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_values_count_more_than_other_names() {
        let row = |name: &str, values: &[Option<&str>]| {
            (name.to_owned(), values.iter().map(|value| value.map(str::to_owned)).collect::<Vec<_>>())
        };
        let rows = [
            row("differs", &[Some("1"), Some("2"), None]),
            row("new", &[None, Some("on"), Some("on")]),
            row("only there", &[None, None, Some("x")]),
        ];
        let (values, names) = split(&rows);
        assert_eq!(values.iter().map(|row| row.0.as_str()).collect::<Vec<_>>(), ["differs"]);
        assert_eq!(names.len(), 2);
        assert_eq!(known_to_some(2), "2 settings are not known to every subject");
    }
}

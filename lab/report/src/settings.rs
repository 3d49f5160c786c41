//! Settings that differ, in two kinds: those that subjects hold at different values, and those that only some of them
//! have. Between engines and distant releases the second kind is hundreds long and explains little.

use std::collections::BTreeSet;

use humdrum_model::differing_flags;

/// A setting's name and its value in each subject, `None` where a subject does not have it.
pub(crate) type Row = (String, Vec<Option<String>>);

/// First the settings with different values, then those that only some subjects have, with one value. A list of flags
/// (`optimizer_switch`) becomes one row for each flag that differs.
pub(crate) fn split(rows: &[Row]) -> (Vec<Row>, Vec<Row>) {
    let rows = rows.iter().flat_map(by_flag);
    rows.partition(|(_, values)| values.iter().flatten().collect::<BTreeSet<_>>().len() > 1)
}

/// `optimizer_switch` as `optimizer_switch mrr`, …: a row for each flag that differs. Other settings stay one row.
fn by_flag(row: &Row) -> Vec<Row> {
    let (name, values) = row;
    let values: Vec<Option<&str>> = values.iter().map(Option::as_deref).collect();
    let Some(flags) = differing_flags(&values) else { return vec![row.clone()] };
    let owned =
        |values: Vec<Option<&str>>| values.into_iter().map(|value| value.map(str::to_owned)).collect();
    flags.into_iter().map(|flag| (format!("{name} {}", flag.name), owned(flag.values))).collect()
}

/// The second kind in words, for reports that do not list it.
pub(crate) fn known_to_some(count: usize) -> String {
    let settings = if count == 1 { "1 setting is".to_owned() } else { format!("{count} settings are") };
    format!("{settings} not known to every subject")
}

/// What a subject ran after each of its loads: a remark for each statement.
pub(crate) fn after_load(plan: &humdrum_model::Plan, subject: &humdrum_model::Subject) -> Vec<String> {
    let own = plan.after_load.iter().filter(|one| one.subject == subject.label);
    own.flat_map(|one| &one.statements).map(|one| format!("after each load: {}", one.text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, values: &[Option<&str>]) -> Row {
        (name.to_owned(), values.iter().map(|value| value.map(str::to_owned)).collect())
    }

    #[test]
    fn settings_that_only_some_know_stand_apart() {
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

    #[test]
    fn lists_of_flags_are_compared_flag_by_flag() {
        let same = "index_merge=on,mrr=on,".repeat(20);
        let [base, subject] = ["off", "on"].map(|value| format!("{same}hypergraph_optimizer={value}"));
        let newer = format!("{base},hash_set_operations=on");
        let rows = [row("optimizer_switch", &[Some(&base), Some(&subject), Some(&newer)])];
        let (differ, known_to_some) = split(&rows);
        let flag = "optimizer_switch hypergraph_optimizer";
        assert_eq!(differ, [row(flag, &[Some("off"), Some("on"), Some("off")])]);
        assert_eq!(known_to_some, [row("optimizer_switch hash_set_operations", &[None, None, Some("on")])]);
    }
}

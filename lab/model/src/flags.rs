//! Settings whose value is a list of flags (`optimizer_switch`: `index_merge=on,mrr=off,…`), compared flag by flag.
//!
//! Such a value holds hundreds of letters. Two of them that differ in one flag look the same to a reader, and a table
//! that shortens them hides the flag that differs.

use std::collections::BTreeMap;

/// One flag and its value in each subject; `None` where a subject does not have the flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag<'a> {
    /// The flag's name.
    pub name: &'a str,
    /// In the order of the values given.
    pub values: Vec<Option<&'a str>>,
}

/// The flags in which values of one setting differ, by name. `None` if the values are not lists of flags, or
/// if fewer than two of them are known.
pub fn differing_flags<'a>(values: &[Option<&'a str>]) -> Option<Vec<Flag<'a>>> {
    let list = |value: &Option<&'a str>| match value {
        Some(value) => flags(value).map(Some),
        None => Some(None),
    };
    let lists: Vec<Option<BTreeMap<&str, &str>>> = values.iter().map(list).collect::<Option<_>>()?;
    let is_list = values.iter().flatten().any(|value| value.contains(','));
    if !is_list || values.iter().flatten().count() < 2 {
        return None;
    }
    let mut all: BTreeMap<&str, Vec<Option<&str>>> = BTreeMap::new();
    for name in lists.iter().flatten().flat_map(BTreeMap::keys) {
        let of =
            |list: &Option<BTreeMap<&str, &'a str>>| list.as_ref().and_then(|list| list.get(name).copied());
        all.entry(name).or_insert_with(|| lists.iter().map(of).collect());
    }
    // A subject without the whole setting differs in every flag: it says nothing about any of them.
    let known: Vec<bool> = lists.iter().map(Option::is_some).collect();
    let differs = |values: &[Option<&str>]| {
        let mut known = values.iter().zip(&known).filter(|(_, known)| **known).map(|(value, _)| value);
        let first = known.next();
        known.any(|value| Some(value) != first)
    };
    Some(
        all.into_iter()
            .filter(|(_, values)| differs(values))
            .map(|(name, values)| Flag { name, values })
            .collect(),
    )
}

/// The list `own` with the values that `other` has of the flags in which they differ, or of the one that is named. A flag that
/// `other` lacks is off, because what a server does not have it does not do; flags that `own` lacks stay away. `None` if nothing
/// would change, or if the values are not lists of flags.
pub fn with_flags_of(own: &str, other: &str, only: Option<&str>) -> Option<String> {
    let differ = differing_flags(&[Some(own), Some(other)])?;
    let changed = |name: &str| {
        let flag = differ.iter().find(|flag| flag.name == name && only.is_none_or(|only| only == name))?;
        let value = flag.values[1].unwrap_or("off");
        (flag.values[0] != Some(value)).then_some(value)
    };
    let mut changes = false;
    let mut list = Vec::new();
    for pair in own.split(',').map(str::trim) {
        let (name, value) = pair.split_once('=')?;
        let new = changed(name);
        changes |= new.is_some();
        list.push(format!("{name}={}", new.unwrap_or(value)));
    }
    changes.then(|| list.join(","))
}

/// Both values of a setting for a reader: lists of flags are reduced to the flags that differ; other values
/// are unchanged.
pub fn only_differing(base: Option<&str>, subject: Option<&str>) -> [Option<String>; 2] {
    let differ = differing_flags(&[base, subject]).filter(|differ| !differ.is_empty());
    let Some(differ) = differ else {
        return [base, subject].map(|value| value.map(str::to_owned));
    };
    [0, 1].map(|side| {
        let shown =
            |flag: &Flag<'_>| format!("{}={}", flag.name, flag.values[side].unwrap_or("(no such flag)"));
        Some(differ.iter().map(shown).collect::<Vec<_>>().join(", "))
    })
}

/// Parses `name=value,name=value`; `None` for text of any other shape.
fn flags(list: &str) -> Option<BTreeMap<&str, &str>> {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-.".contains(letter))
    };
    let pairs = list.split(',').map(|flag| flag.trim().split_once('='));
    pairs.map(|pair| pair.filter(|(name, value)| is_name(name) && !value.contains('='))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_flags_that_differ_are_kept() {
        let values =
            [Some("index_merge=on,mrr=on,hash_join=off"), Some("index_merge=on,mrr=off,hash_join=off")];
        let found = differing_flags(&values).unwrap();
        assert_eq!(found, [Flag { name: "mrr", values: vec![Some("on"), Some("off")] }]);
        let [base, subject] = values;
        assert_eq!(only_differing(base, subject), ["mrr=on", "mrr=off"].map(|text| Some(text.to_owned())));
    }

    #[test]
    fn flags_that_one_release_lacks_are_named() {
        let values = [Some("a=on,b=on"), Some("a=on,b=on,c=off"), None];
        let found = differing_flags(&values).unwrap();
        assert_eq!(found, [Flag { name: "c", values: vec![None, Some("off"), None] }]);
        let told = only_differing(values[0], values[1]);
        assert_eq!(told, ["c=(no such flag)", "c=off"].map(|text| Some(text.to_owned())));
    }

    #[test]
    fn the_order_of_flags_is_no_difference() {
        assert_eq!(differing_flags(&[Some("a=1,b=2"), Some("b=2,a=1")]), Some(Vec::new()));
    }

    #[test]
    fn flags_are_taken_from_another_list() {
        let (old, new) =
            ("mrr=on,index_merge=off,gone=on", "index_merge=on,mrr=on,hash_join=on,skip_scan=off");
        let taken = |own, other, only| with_flags_of(own, other, only);
        let back = "index_merge=off,mrr=on,hash_join=off,skip_scan=off";
        assert_eq!(taken(new, old, None).as_deref(), Some(back));
        assert_eq!(taken(old, new, None).as_deref(), Some("mrr=on,index_merge=on,gone=off"));
        let one = "index_merge=on,mrr=on,hash_join=off,skip_scan=off";
        assert_eq!(taken(new, old, Some("hash_join")).as_deref(), Some(one));
        for nothing in ["mrr", "skip_scan", "gone", "unknown"] {
            assert_eq!(taken(new, old, Some(nothing)), None, "{nothing}");
        }
        assert_eq!(taken("4MB", "8MB", None), None);
    }

    #[test]
    fn other_values_are_left_alone() {
        for other in ["4MB", "", "a,b", "a=b=c,d=e", "x=1;y=2,z=3", "a b=1,c=2"] {
            assert_eq!(differing_flags(&[Some(other), Some("a=1,b=2")]), None, "{other}");
        }
        assert_eq!(
            differing_flags(&[Some("a=on"), Some("a=off")]),
            None,
            "one flag is as clear as it stands"
        );
        assert_eq!(differing_flags(&[Some("a=on,b=on"), None]), None, "nothing to compare with");
        assert_eq!(only_differing(Some("on"), None), [Some("on".to_owned()), None]);
    }
}

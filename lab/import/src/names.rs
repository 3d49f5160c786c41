//! Names of tests from names of files, for tools that do not print what they ran.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Ends of file names that say nothing of the test.
const EXTENSIONS: [&str; 8] = ["csv", "json", "log", "o", "out", "res", "tsv", "txt"];
/// Words before the number of a repetition.
const WORDS: [&str; 7] = ["iteration", "repetition", "round", "iter", "rep", "run", "r"];

/// The test of each file of one subject; `None` where a name holds nothing but a number. `own` are words of the subject,
/// which its files' names may repeat.
pub(crate) fn tests(files: &[&Path], own: &[&str]) -> Vec<Option<String>> {
    let stems: Vec<String> =
        files.iter().map(|file| without_run(&without(&stem(file), own)).to_owned()).collect();
    let numbered = numbered(&stems);
    let name = |stem: &String| {
        let name = match split_number(stem) {
            Some((before, _)) if numbered.contains(before) => before,
            _ => stem,
        };
        let name = name.trim_matches(is_joint);
        (!name.is_empty() && !name.chars().all(|c| c.is_ascii_digit())).then(|| name.to_owned())
    };
    stems.iter().map(name).collect()
}

fn stem(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match name.rsplit_once('.') {
        Some((stem, end)) if EXTENSIONS.contains(&end) && !stem.is_empty() => stem.to_owned(),
        _ => name,
    }
}

/// A name without words of its subject.
fn without(name: &str, own: &[&str]) -> String {
    let mut name = name.to_owned();
    for word in own.iter().filter(|word| word.len() > 1) {
        if let Some(place) = place(&name, word) {
            name.replace_range(place..place + word.len(), "");
        }
    }
    name.trim_matches(is_joint).to_owned()
}

/// Where a name has a word that is no part of a longer one: `17` is in `pg17.scan`, and not in `range_1700`.
fn place(name: &str, word: &str) -> Option<usize> {
    let kind = |letter: char| (letter.is_ascii_digit(), letter.is_alphabetic());
    let joins = |one: Option<char>, other: Option<char>| {
        one.zip(other).is_some_and(|(one, other)| one.is_alphanumeric() && kind(one) == kind(other))
    };
    let is_whole = |place: &usize| {
        let (before, after) = (&name[..*place], &name[place + word.len()..]);
        !joins(before.chars().next_back(), word.chars().next())
            && !joins(word.chars().next_back(), after.chars().next())
    };
    name.match_indices(word).map(|(place, _)| place).find(is_whole)
}

fn is_joint(letter: char) -> bool {
    matches!(letter, '.' | '-' | '_' | ' ' | '@')
}

/// `read_only` of `read_only.run3`, and nothing of `run3`.
fn without_run(stem: &str) -> &str {
    let digits = stem.trim_end_matches(|letter: char| letter.is_ascii_digit());
    if digits.len() == stem.len() {
        return stem;
    }
    let before = digits.trim_end_matches(is_joint);
    let cut = WORDS.iter().find_map(|word| {
        let rest = before.strip_suffix(word)?;
        (rest.is_empty() || rest.ends_with(is_joint)).then_some(rest)
    });
    cut.map_or(stem, |rest| rest.trim_end_matches(is_joint))
}

/// `read_only` and 3 of `read_only.3`.
fn split_number(stem: &str) -> Option<(&str, u64)> {
    let before = stem.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let number = stem[before.len()..].parse().ok()?;
    before.ends_with(is_joint).then(|| (before.trim_end_matches(is_joint), number))
}

/// Names whose numbers count repetitions: 1, 2, 3 or 0, 1, 2 without a gap. `range.10` and `range.100` are two tests.
fn numbered(stems: &[String]) -> BTreeSet<&str> {
    let mut numbers: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for (before, number) in stems.iter().filter_map(|stem| split_number(stem)) {
        numbers.entry(before).or_default().insert(number);
    }
    let counts = |numbers: &BTreeSet<u64>| {
        let first = numbers.first().copied().unwrap_or(9);
        let last = numbers.last().copied().unwrap_or(0);
        numbers.len() > 1 && first <= 1 && last - first + 1 == numbers.len() as u64
    };
    numbers.into_iter().filter(|(_, numbers)| counts(numbers)).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(files: &[&str], own: &[&str]) -> Vec<String> {
        let paths: Vec<&Path> = files.iter().map(Path::new).collect();
        tests(&paths, own).into_iter().map(Option::unwrap_or_default).collect()
    }

    #[test]
    fn repetitions_have_the_name_of_their_test() {
        let files = ["a/read_only.run1.log", "a/read_only-run2.log", "read_only_r3.txt", "read_only.rep4"];
        assert_eq!(named(&files, &[]), ["read_only"; 4]);
        assert_eq!(named(&["scan.1.log", "scan.2.log", "scan.3.log"], &[]), ["scan"; 3]);
        assert_eq!(named(&["scan-0", "scan-1"], &[]), ["scan"; 2]);
    }

    #[test]
    fn numbers_that_do_not_count_repetitions_stay() {
        let files = ["range.10.log", "range.100.log", "scan.1.log", "t-2.log", "t-3.log"];
        assert_eq!(named(&files, &[]), ["range.10", "range.100", "scan.1", "t-2", "t-3"]);
        assert_eq!(named(&["point_select"], &[]), ["point_select"]);
        assert_eq!(named(&["armour1.log"], &[]), ["armour1"]);
    }

    #[test]
    fn what_names_the_subject_alone_is_left_out() {
        let own = ["postgres", "16.11"];
        assert_eq!(named(&["postgres-16.11.read_only.log"], &own), ["read_only"]);
        assert_eq!(named(&["pg16.11-scan", "range_16.110"], &own), ["pg-scan", "range_16.110"]);
        assert_eq!(named(&["run1.log", "2.log", "16.11.log"], &own), [""; 3]);
    }
}

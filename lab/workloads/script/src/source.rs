//! The text of a file, and the faults that name a place in it.

use humdrum_model::Fault;

/// A file's name and text.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// As the user named it.
    pub file: &'a str,
    /// All of it.
    pub text: &'a str,
}

impl<'a> Source<'a> {
    /// `FILE:LINE:COLUMN` of a byte; lines and columns count from 1, columns in characters.
    pub fn place(&self, offset: usize) -> String {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("{}:{line}:{column}", self.file)
    }

    /// An error of the user at a byte.
    pub(crate) fn fault(&self, offset: usize, what: impl Into<String>) -> Fault {
        Fault::usage(what).at(self.place(offset))
    }

    /// The text from a byte on.
    pub(crate) fn rest(&self, offset: usize) -> &'a str {
        self.text.get(offset..).unwrap_or_default()
    }
}

/// Letters from which on the beginning of one word alone stands for it.
const BEGINNING: usize = 4;

/// The word of a list that a user probably meant: at most two letters are added, left out or changed, or it is the only one that
/// begins so.
pub(crate) fn meant<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let known: Vec<&str> = known.collect();
    let close = known.iter().map(|name| (distance(&word, name), *name));
    let close = close.filter(|(far, name)| *far <= 2 && *far < name.len());
    close.min_by_key(|(far, _)| *far).map(|(_, name)| name).or_else(|| {
        let mut begun = known.iter().filter(|name| word.len() >= BEGINNING && name.starts_with(&*word));
        begun.next().copied().filter(|_| begun.next().is_none())
    })
}

/// Levenshtein's distance, row by row.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (done, a) in left.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], done + 1);
        for (at, b) in right.iter().enumerate() {
            let changed = diagonal + usize::from(a != *b);
            diagonal = row[at + 1];
            row[at + 1] = changed.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters() {
        let source = Source { file: "a.sql", text: "é x\nyz" };
        assert_eq!(source.place(3), "a.sql:1:3");
        assert_eq!(source.place(6), "a.sql:2:2");
        assert_eq!(source.fault(0, "wrong").to_string(), "a.sql:1:1: wrong");
    }

    #[test]
    fn a_near_word_is_meant() {
        let known = || ["random", "random_zipfian", "abs"].into_iter();
        assert_eq!(meant("randon", known()), Some("random"));
        assert_eq!(meant("Random_zipfain", known()), Some("random_zipfian"));
        assert_eq!(meant("something", known()), None);
        assert_eq!(meant("random_zip", known()), Some("random_zipfian"));
        assert_eq!(meant("random_", ["random_a_b_c", "random_d_e_f"].into_iter()), None);
    }
}

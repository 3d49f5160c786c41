//! "Did you mean": the nearest of the names that exist, if it is near enough to be a typing mistake.

/// The candidate nearest to `typed`, if at most a third of it (and at least two keys) would have to change.
pub fn closest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (typed.chars().count() / 3).max(2);
    let typed = typed.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (distance(&typed, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// A hint: the nearest name if there is one, else all of them.
pub fn did_you_mean<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let all: Vec<&str> = candidates.into_iter().collect();
    match closest(typed, all.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("known: {}", all.join(", ")),
    }
}

/// Edits that turn one word into the other. Two swapped neighbours count as one edit (optimal string alignment),
/// because that is the most common mistake.
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=right.len()).collect()];
    for i in 1..=left.len() {
        let mut row = vec![i];
        for j in 1..=right.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits() {
        assert_eq!(distance("budget", "bugdet"), 1);
        assert_eq!(distance("scna", "scan"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn suggests_a_slip_and_not_a_stranger() {
        let names = ["hot-points", "point-query", "scan"];
        assert_eq!(closest("hot-point", names), Some("hot-points"));
        assert_eq!(closest("Scan", names), Some("scan"));
        assert_eq!(closest("xyz", names), None);
        assert_eq!(did_you_mean("pointquery", names), "did you mean `point-query`?");
        assert_eq!(did_you_mean("zzzzzz", ["a", "b"]), "known: a, b");
    }
}

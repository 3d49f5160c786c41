//! The first word of a statement: whether it is work, or begins or ends a transaction.

/// What it makes of a statement.
pub(crate) enum Word {
    Begin,
    Commit,
    Rollback,
    Work,
    Other,
}

/// What the first word of a text is.
pub(crate) fn first_word(text: &str) -> Word {
    let end = text.bytes().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(text.len());
    let (first, rest) = (&text[..end], text[end..].trim_start());
    let is = |word: &str| first.eq_ignore_ascii_case(word);
    let second = |word: &str| rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    // Most frequent first.
    const WORK: [&str; 9] =
        ["SELECT", "UPDATE", "INSERT", "DELETE", "WITH", "REPLACE", "MERGE", "VALUES", "CALL"];
    if WORK.iter().any(|word| is(word)) || text.starts_with("(SELECT") || text.starts_with("(select") {
        return Word::Work;
    }
    if is("BEGIN") || (is("START") && second("TRANSACTION")) {
        return Word::Begin;
    }
    if is("COMMIT") || is("END") {
        return Word::Commit;
    }
    if (is("ROLLBACK") && !second("TO")) || is("ABORT") {
        return Word::Rollback;
    }
    Word::Other
}

/// The first word in capitals, for people.
pub(crate) fn word(text: &str) -> String {
    let word: String = text.chars().take_while(|letter| letter.is_ascii_alphabetic()).take(20).collect();
    if word.is_empty() { "?".to_owned() } else { word.to_ascii_uppercase() }
}

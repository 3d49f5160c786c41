//! Numbers from the text of `SHOW ENGINE INNODB STATUS`, the only place where every release reports them.

use humdrum_contract::TextRows;

/// Transactions on the history list.
pub(crate) fn history_length(rows: &TextRows) -> Option<f64> {
    number_after(text(rows)?, "History list length")
}

/// How much purge has still to do. Neither number that a server tells is enough. The history list keeps purged
/// transactions, for they are taken off it in stretches; and "idle" may mean that purge has not woken yet: MySQL 8
/// wakes it once a second. But purge goes through transactions in their order. So when it is idle and has come
/// as near to the newest transaction as `NUMBERS_IN_HAND`, everything older is done, and `MARKS` transactions
/// that the lab makes for the purpose come after everything that is awaited.
pub(crate) fn to_purge(rows: &TextRows) -> Option<f64> {
    let text = text(rows)?;
    let line = text.lines().find(|line| line.starts_with(PURGED))?;
    let state = line.split_once("state: ").map(|(_, state)| state);
    // 5.5 tells no state, and numbers of transactions in hexadecimal digits.
    let radix = if state.is_some() { 10 } else { 16 };
    let number = |label| u64::from_str_radix(word_after(text, label)?, radix).ok();
    let behind = number("Trx id counter")?.saturating_sub(number(PURGED)?);
    let busy = u64::from(state.is_some_and(|state| !state.contains("idle")));
    Some((behind.saturating_sub(NUMBERS_IN_HAND) + busy) as f64)
}

const PURGED: &str = "Purge done for trx's n:o <";

/// A transaction that leaves no history takes a number too, and purge does not get past it until another comes.
const NUMBERS_IN_HAND: u64 = 16;

/// Transactions with history; each takes one number at least.
pub(crate) const MARKS: usize = 20;

/// Log written since the last checkpoint.
pub(crate) fn checkpoint_age_bytes(rows: &TextRows) -> Option<f64> {
    let text = text(rows)?;
    Some(number_after(text, "Log sequence number")? - number_after(text, "Last checkpoint at")?)
}

/// Columns are type, name and text.
fn text(rows: &TextRows) -> Option<&str> {
    rows.first()?.get(2)?.as_deref()
}

fn number_after(text: &str, label: &str) -> Option<f64> {
    word_after(text, label)?.parse().ok()
}

fn word_after<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(label))?.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<Vec<Option<String>>> {
        vec![vec![Some("InnoDB".into()), Some(String::new()), Some(text.into())]]
    }

    const TEXT: &str = "Trx id counter 3600\n\
        Purge done for trx's n:o < 3590 undo n:o < 0 state: running\n\
        History list length 16\n\
        LOG\n---\n\
        Log sequence number          19712333\n\
        Log flushed up to            19712333\n\
        Last checkpoint at           19712000\n";

    #[test]
    fn numbers_are_found_in_the_text() {
        assert_eq!(history_length(&rows(TEXT)), Some(16.0));
        assert_eq!(checkpoint_age_bytes(&rows(TEXT)), Some(333.0));
        assert_eq!(history_length(&rows("nothing here")), None);
        assert_eq!(history_length(&[]), None);
    }

    #[test]
    fn purge_is_done_when_it_is_idle_and_near() {
        assert_eq!(to_purge(&rows(TEXT)), Some(1.0), "it is at work");
        let idle = TEXT.replace("state: running", "state: running but idle");
        assert_eq!(to_purge(&rows(&idle)), Some(0.0));
        assert_eq!(to_purge(&rows(&idle.replace("< 3590", "< 3500"))), Some(84.0), "it has not woken");
        let of_5_5 = TEXT.replace(" state: running", "").replace("< 3590", "< 35FA");
        assert_eq!(to_purge(&rows(&of_5_5)), Some(0.0));
        assert_eq!(to_purge(&rows(&of_5_5.replace("< 35FA", "< 35A0"))), Some(80.0));
    }
}

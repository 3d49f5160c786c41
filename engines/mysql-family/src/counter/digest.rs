//! A digest's text as a statement with placeholders. A server writes lists shortened, `(...)`, and puts blanks around everything.

use humdrum_contract::TableName;

/// What a digest's text can be made to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Digest {
    /// A statement.
    Whole(String),
    /// An INSERT of values into all columns of a table; `with_values` finishes it.
    Columns { table: TableName, text: String },
    /// Something is not in it.
    Shortened,
}

/// A list of values in parentheses.
const LIST: &str = "(...)";
/// Stands for a list that is filled in later.
const LATER: &str = "(\u{1})";

/// Reads a digest's text.
pub(super) fn read(text: &str) -> Digest {
    let text = without_comments(text);
    let text = text.trim().trim_end_matches(';').trim_end();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut table = None;
    while let Some(at) = rest.find(LIST) {
        let before = &rest[..at];
        out.push_str(before);
        rest = &rest[at + LIST.len()..];
        match last_word(before).to_ascii_uppercase().as_str() {
            "IN" => out.push_str("(?)"),
            "VALUES" | "VALUE" => match columns(before) {
                Some(columns) => out.push_str(&placeholders(columns)),
                None => {
                    table = inserted_into(before);
                    if table.is_none() {
                        return Digest::Shortened;
                    }
                    out.push_str(LATER);
                }
            },
            _ => return Digest::Shortened,
        }
    }
    out.push_str(rest);
    let out = out.replace("LIMIT ?, ...", "LIMIT ?, ?").replace("?, ...", "?");
    if out.contains("...") {
        return Digest::Shortened;
    }
    // A blank behind a function's name makes it a column's.
    let text = out.replace(" (", "(");
    match table {
        Some(table) => Digest::Columns { table, text },
        None => Digest::Whole(text),
    }
}

/// The text of `Digest::Columns` for a table of so many columns.
pub(super) fn with_values(text: &str, columns: usize) -> String {
    text.replace(LATER, &placeholders(columns))
}

fn placeholders(count: usize) -> String {
    format!("({})", vec!["?"; count].join(", "))
}

/// `/* , ... */` stands for further lists. MariaDB writes the words DAY, HOUR and so on, also as columns, as SQL_TSI_DAY.
fn without_comments(text: &str) -> String {
    text.replace("/* , ... */", "").replace("SQL_TSI_", "")
}

fn last_word(text: &str) -> &str {
    text.trim_end().rsplit(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default()
}

/// Columns that an INSERT names before VALUES; `None`: it names none.
fn columns(before: &str) -> Option<usize> {
    let text = before.trim_end();
    let text = text[..text.len() - last_word(text).len()].trim_end();
    let list = text.strip_suffix(')')?;
    let (_, list) = list.rsplit_once('(')?;
    Some(list.split(',').count())
}

/// The table of `INSERT INTO `shop` . `orders` VALUES`.
fn inserted_into(before: &str) -> Option<TableName> {
    let text = before.trim_end();
    let text = text[..text.len() - last_word(text).len()].trim_end();
    let (_, name) = text.rsplit_once("INTO ").or_else(|| text.rsplit_once("INSERT "))?;
    let parts = name.split(" . ").map(|part| part.trim().trim_matches('`').to_owned());
    Some(parts.collect()).filter(|name: &TableName| name.iter().all(|part| !part.contains(' ')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> String {
        match read(text) {
            Digest::Whole(text) => text,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn lists_become_placeholders() {
        let text = "SELECT COUNT ( * ) FROM `t` WHERE `id` IN (...) AND `a` = ? LIMIT ?, ...";
        assert_eq!(whole(text), "SELECT COUNT( * ) FROM `t` WHERE `id` IN(?) AND `a` = ? LIMIT ?, ?");
        let text = "INSERT INTO `t` ( `a` , `b` ) VALUES (...) /* , ... */ ON DUPLICATE KEY UPDATE `b` = VALUES ( `b` )";
        assert_eq!(
            whole(text),
            "INSERT INTO `t`( `a` , `b` ) VALUES(?, ?)  ON DUPLICATE KEY UPDATE `b` = VALUES( `b` )"
        );
        assert_eq!(whole("SELECT ?, ... FROM `t`"), "SELECT ? FROM `t`");
        assert_eq!(whole("SELECT SQL_TSI_DAY FROM `t`"), "SELECT DAY FROM `t`");
    }

    #[test]
    fn an_insert_without_names_needs_the_tables_columns() {
        let Digest::Columns { table, text } = read("INSERT INTO `shop` . `t` VALUES (...)") else {
            panic!("needs columns")
        };
        assert_eq!(table, ["shop", "t"]);
        assert_eq!(with_values(&text, 3), "INSERT INTO `shop` . `t` VALUES(?, ?, ?)");
    }

    #[test]
    fn what_is_not_there_is_not_made_up() {
        for text in
            ["SELECT `a` FROM `t` WHERE `b` = ? AND ...", "SELECT COALESCE (...) FROM `t`", "CALL `p` (...)"]
        {
            assert_eq!(read(text), Digest::Shortened, "{text}");
        }
    }
}

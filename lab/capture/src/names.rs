//! Names of a statement's table and of the columns that its values belong to, read by a parser. What it does not understand gets
//! names that only count.

use std::ops::ControlFlow;

use sqlparser::ast::{
    AssignmentTarget, Expr, InTarget, ObjectName, SetExpr, Statement, TableObject, Value, visit_expressions,
    visit_relations,
};
use sqlparser::dialect::{GenericDialect, MySqlDialect, PostgreSqlDialect};
use sqlparser::parser::Parser;

use crate::event::Dialect;
use crate::pattern::Template;

/// Stands for value N in the text that the parser gets.
const MARK: &str = "humdrum_value_";

/// What a statement is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct About {
    /// Its first table.
    pub(crate) table: Option<String>,
    /// The column of each value.
    pub(crate) columns: Vec<Option<String>>,
}

/// A longer text is not parsed. `a OR b OR …` is a tree as deep as it is long, and is visited and dropped by recursion.
const TEXT_BYTES_MAX: usize = 16 << 10;
/// A longer one gets a stack of its own, with room for a tree that has two bytes of text a level.
pub(crate) const SHORT_BYTES_MAX: usize = 2 << 10;
const STACK_BYTES: usize = 128 << 20;

impl About {
    /// Of statements.
    pub(crate) fn of_all(templates: &[Template], dialect: Dialect) -> Vec<Self> {
        let each = || templates.iter().map(|one| Self::of(one, dialect)).collect();
        if templates.iter().all(|one| one.bytes() <= SHORT_BYTES_MAX) {
            return each();
        }
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, each);
            thread.ok().and_then(|thread| thread.join().ok())
        })
        .unwrap_or_else(|| templates.iter().map(Self::nothing).collect())
    }

    /// Of a statement that is not understood.
    fn nothing(template: &Template) -> Self {
        Self { table: None, columns: vec![None; template.values()] }
    }

    /// Of a statement.
    fn of(template: &Template, dialect: Dialect) -> Self {
        let mut about = Self::nothing(template);
        let Some(statement) = parsed(template, dialect) else { return about };
        about.table = table(&statement);
        about.written(&statement);
        let _ = visit_expressions(&statement, |expression| {
            about.compared(expression);
            ControlFlow::<()>::Continue(())
        });
        about
    }

    /// Values of INSERT and of SET.
    fn written(&mut self, statement: &Statement) {
        match statement {
            Statement::Insert(insert) => {
                let columns: Vec<Option<String>> = insert.columns.iter().map(last_word).collect();
                let Some(SetExpr::Values(values)) = insert.source.as_ref().map(|query| &*query.body) else {
                    return;
                };
                for row in &values.rows {
                    for (value, column) in row.content.iter().zip(&columns) {
                        self.name(value, column.as_deref());
                    }
                }
            }
            Statement::Update(update) => {
                for assignment in &update.assignments {
                    if let AssignmentTarget::ColumnName(column) = &assignment.target {
                        let column = last_word(column);
                        self.name(&assignment.value, column.as_deref());
                    }
                }
            }
            _ => {}
        }
    }

    /// Values that a column is compared with.
    fn compared(&mut self, expression: &Expr) {
        match expression {
            Expr::BinaryOp { left, right, .. } => {
                self.name(right, column(left).as_deref());
                self.name(left, column(right).as_deref());
            }
            Expr::In { expr, target: InTarget::List(list), .. } => {
                let own = column(expr);
                list.iter().for_each(|value| self.name(value, own.as_deref()));
            }
            Expr::Between { expr, low, high, .. } => {
                let own = column(expr).unwrap_or_else(|| "value".to_owned());
                self.name(low, Some(&format!("{own}_from")));
                self.name(high, Some(&format!("{own}_to")));
            }
            Expr::Like { expr, pattern, .. } | Expr::ILike { expr, pattern, .. } => {
                self.name(pattern, column(expr).as_deref());
            }
            _ => {}
        }
    }

    fn name(&mut self, value: &Expr, column: Option<&str>) {
        let (Some(number), Some(column)) = (number(value), column) else { return };
        if let Some(slot) = self.columns.get_mut(number) {
            slot.get_or_insert_with(|| column.to_owned());
        }
    }
}

/// A statement as the parser reads it, with a mark in place of each value.
pub(crate) fn parsed(template: &Template, dialect: Dialect) -> Option<Statement> {
    let text = template.with(|number| format!("'{MARK}{number}'"));
    if text.len() > TEXT_BYTES_MAX {
        return None;
    }
    let parsed = match dialect {
        Dialect::Postgres => Parser::parse_sql(&PostgreSqlDialect {}, &text),
        Dialect::MySql => Parser::parse_sql(&MySqlDialect {}, &text),
    };
    let mut parsed = parsed.or_else(|_| Parser::parse_sql(&GenericDialect {}, &text)).ok()?;
    parsed.pop().filter(|_| parsed.is_empty())
}

/// The number of the value that a mark stands for.
pub(crate) fn number_of(mark: &Value) -> Option<usize> {
    match mark {
        Value::SingleQuotedString(text) => text.strip_prefix(MARK)?.parse().ok(),
        _ => None,
    }
}

/// The number of a value, also under a cast, in brackets, or added to a column.
fn number(value: &Expr) -> Option<usize> {
    match value {
        Expr::Value(value) => number_of(&value.value),
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } | Expr::UnaryOp { expr: inner, .. } => {
            number(inner)
        }
        Expr::BinaryOp { left, right, .. } => number(left).or_else(|| number(right)),
        _ => None,
    }
}

fn column(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Identifier(name) => Some(name.value.clone()),
        Expr::CompoundIdentifier(names) => names.last().map(|name| name.value.clone()),
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => column(inner),
        _ => None,
    }
}

fn last_word(name: &ObjectName) -> Option<String> {
    name.0.last()?.as_ident().map(|word| word.value.clone())
}

fn table(statement: &Statement) -> Option<String> {
    if let Statement::Insert(insert) = statement
        && let TableObject::TableName(name) = &insert.table
    {
        return last_word(name);
    }
    let mut found = None;
    let _ = visit_relations(statement, |name| {
        found = last_word(name);
        if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found
}

/// Names are no longer in the servers whose logs are read; a file's name may have 255 bytes.
const LETTERS_MAX: usize = 64;

/// A word that a variable and a file can be called by.
pub(crate) fn plain(word: &str) -> String {
    let plain: String = word
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' })
        .collect();
    let plain: String = plain.trim_matches('_').chars().take(LETTERS_MAX).collect();
    if plain.is_empty() || plain.starts_with(|first: char| first.is_ascii_digit()) {
        format!("v{plain}")
    } else {
        plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::{Scanned, scan};

    fn about(text: &str, dialect: Dialect) -> (Option<String>, Vec<String>) {
        let mut found = Scanned::default();
        scan(text, dialect, &mut found);
        let about = About::of(&Template::new(found.shape, text, &found.literals), dialect);
        (about.table, about.columns.into_iter().map(|name| name.unwrap_or_default()).collect())
    }

    #[test]
    fn values_are_called_as_their_columns() {
        use Dialect::{MySql, Postgres};
        let text = "SELECT * FROM shop.orders o WHERE o.id = $1 AND day BETWEEN '2026-01-01' AND $2 AND state IN (1, 2) \
            AND name LIKE 'a%' LIMIT 10";
        let columns = ["id", "day_from", "day_to", "state", "state", "name", ""];
        assert_eq!(about(text, Postgres), (Some("orders".into()), columns.map(str::to_owned).to_vec()));
        let text = "UPDATE `t` SET a = a + 5, b = 'x' WHERE `id` = 7";
        assert_eq!(about(text, MySql), (Some("t".into()), ["a", "b", "id"].map(str::to_owned).to_vec()));
        let text = "INSERT INTO t (a, b) VALUES (1, 'x'), (2, 'y')";
        assert_eq!(about(text, Postgres).1, ["a", "b", "a", "b"]);
        assert_eq!(about("SELECT oddly (", Postgres), (None, Vec::new()));
        assert_eq!([plain("Käse-Preis"), plain("1st"), plain("_")], ["k_se_preis", "v1st", "v"]);
    }
    #[test]
    fn a_deep_statement_takes_no_more_stack_than_there_is() {
        for (part, end) in [
            ("a|", "a"),
            ("a OR ", "a"),
            ("a.", "a"),
            ("(", "a"),
            ("NOT ", "a"),
            ("SELECT 1 UNION ", "SELECT 1"),
            ("-", "a"),
            ("a::", "int"),
        ] {
            for bytes in [TEXT_BYTES_MAX - 200, 3 * TEXT_BYTES_MAX] {
                let text = format!("SELECT {}{end} FROM t WHERE b = 'x'", part.repeat(bytes / part.len()));
                let mut found = Scanned::default();
                scan(&text, Dialect::Postgres, &mut found);
                let template = Template::new(found.shape, &text, &found.literals);
                assert_eq!(About::of_all(&[template], Dialect::Postgres).len(), 1);
            }
        }
    }
}

//! Finds the places of values in a parsed statement.

use std::ops::ControlFlow;

use humdrum_contract::TableName;
use sqlparser::ast::{
    Assignment, AssignmentTarget, BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments,
    Ident, InTarget, Insert, LimitClause, ObjectName, OnConflictAction, OnInsert, Query, SetExpr, Statement,
    TableFactor, TableObject, Visit, Visitor,
};

use super::places::{Column, Place, Read, Role};
use crate::event::Dialect;
use crate::names::{SHORT_BYTES_MAX, number_of, parsed};
use crate::pattern::Template;

/// A table, and what it is called by in the statement.
struct Table {
    name: TableName,
    alias: String,
}

/// A place before the tables of the whole statement are known.
#[derive(Clone)]
struct Found {
    role: Role,
    column: Column,
    /// `None`: the statement's target, or any table.
    table: Option<String>,
    of_target: bool,
}

/// Goes over a statement.
pub(super) struct Finder {
    dialect: Dialect,
    tables: Vec<Table>,
    found: Vec<Option<Found>>,
    /// The table that is written to.
    target: Option<usize>,
    must_be_new: bool,
}

/// A column and its table's name, as an expression has them.
type Reference = (Option<String>, String);

impl Finder {
    /// Reads a statement; nothing is known of one that the parser does not understand.
    pub(super) fn find(template: &Template, dialect: Dialect) -> Read {
        let mut finder = Self {
            dialect,
            tables: Vec::new(),
            found: vec![None; template.values()],
            target: None,
            must_be_new: false,
        };
        // A longer one could be a tree too deep for this stack.
        let short = template.bytes() <= SHORT_BYTES_MAX;
        if let Some(statement) = short.then(|| parsed(template, dialect)).flatten() {
            finder.written(&statement);
            let _ = statement.visit(&mut finder);
        }
        finder.read()
    }

    fn read(self) -> Read {
        let Self { tables, found, target, must_be_new, .. } = self;
        let all = || (0..tables.len()).collect::<Vec<_>>();
        let place = |found: Found| {
            let tables = match (&found.table, target.filter(|_| found.of_target)) {
                (Some(name), _) => {
                    let called = |table: &&usize| tables[**table].alias == *name;
                    all().iter().filter(called).copied().collect()
                }
                (None, Some(target)) => vec![target],
                (None, None) => all(),
            };
            Place { role: found.role, column: found.column, tables }
        };
        let places = found.into_iter().map(|one| one.map(place)).collect();
        Read { places, tables: tables.into_iter().map(|table| table.name).collect(), must_be_new }
    }

    fn word(&self, word: &Ident) -> String {
        let folds = self.dialect == Dialect::Postgres && word.quote_style.is_none();
        if folds { word.value.to_lowercase() } else { word.value.clone() }
    }

    fn name(&self, name: &ObjectName) -> TableName {
        name.0.iter().filter_map(|part| part.as_ident()).map(|word| self.word(word)).collect()
    }

    fn add_table(&mut self, name: &ObjectName, alias: Option<&Ident>) -> usize {
        let name = self.name(name);
        let alias = alias.map(|word| self.word(word)).or_else(|| name.last().cloned()).unwrap_or_default();
        if let Some(at) = self.tables.iter().position(|table| table.name == name && table.alias == alias) {
            return at;
        }
        self.tables.push(Table { name, alias });
        self.tables.len() - 1
    }

    fn put(&mut self, value: &Expr, found: Found) {
        if let Some(slot) = exact(value).and_then(|number| self.found.get_mut(number)) {
            slot.get_or_insert(found);
        }
    }

    /// Values of INSERT, and of SET anywhere.
    fn written(&mut self, statement: &Statement) {
        match statement {
            Statement::Insert(insert) => self.inserted(insert),
            Statement::Update(update) => {
                if let TableFactor::Table { name, alias, .. } = &update.table.relation {
                    self.target = Some(self.add_table(name, alias.as_ref().map(|alias| &alias.name)));
                }
                self.assigned(&update.assignments);
                update.limit.iter().for_each(|limit| self.counted(limit, Role::Limit));
            }
            Statement::Delete(delete) => {
                delete.limit.iter().for_each(|limit| self.counted(limit, Role::Limit));
            }
            _ => {}
        }
    }

    fn inserted(&mut self, insert: &Insert) {
        let TableObject::TableName(name) = &insert.table else { return };
        self.target = Some(self.add_table(name, insert.table_alias.as_ref().map(|alias| &alias.alias)));
        self.must_be_new = !insert.ignore && !insert.replace_into && insert.on.is_none();
        let columns: Vec<Option<String>> =
            insert.columns.iter().map(|name| self.name(name).last().cloned()).collect();
        if let Some(SetExpr::Values(values)) = insert.source.as_ref().map(|query| &*query.body) {
            for (row, list) in values.rows.iter().enumerate() {
                for (nth, value) in list.content.iter().enumerate() {
                    let named = columns.get(nth).cloned().flatten().map(Column::Named);
                    let column = if columns.is_empty() { Some(Column::Nth(nth)) } else { named };
                    let Some(column) = column else { continue };
                    self.put(
                        value,
                        Found { role: Role::Inserted(row), column, table: None, of_target: true },
                    );
                }
            }
        } else {
            self.must_be_new = false;
        }
        self.assigned(&insert.assignments);
        match &insert.on {
            Some(OnInsert::DuplicateKeyUpdate(assignments)) => self.assigned(assignments),
            Some(OnInsert::OnConflict(conflict)) => {
                if let OnConflictAction::DoUpdate(update) = &conflict.action {
                    self.assigned(&update.assignments);
                }
            }
            _ => {}
        }
    }

    fn assigned(&mut self, assignments: &[Assignment]) {
        for assignment in assignments {
            let AssignmentTarget::ColumnName(name) = &assignment.target else { continue };
            let Some(column) = self.name(name).pop() else { continue };
            let found =
                |role| Found { role, column: Column::Named(column.clone()), table: None, of_target: true };
            self.put(&assignment.value, found(Role::Set));
            if let Expr::BinaryOp { left, right, .. } = &assignment.value {
                self.put(left, found(Role::Change));
                self.put(right, found(Role::Change));
            }
        }
    }

    fn counted(&mut self, value: &Expr, role: Role) {
        self.put(value, Found { role, column: Column::Nothing, table: None, of_target: false });
    }

    fn compared(&mut self, column: &Expr, value: &Expr, role: Role) {
        if let (Expr::Tuple(columns), Expr::Tuple(values)) = (column, value) {
            let pairs = columns.iter().zip(values);
            return pairs.for_each(|(column, value)| self.compared(column, value, role));
        }
        if let Some((table, name)) = self.column(column) {
            self.put(value, Found { role, column: Column::Named(name), table, of_target: false });
        }
    }

    /// The column of an expression, also under a cast, in brackets, or in a function of nothing else: `lower(name)`.
    fn column(&self, expression: &Expr) -> Option<Reference> {
        match expression {
            Expr::Identifier(name) => Some((None, self.word(name))),
            Expr::CompoundIdentifier(names) => {
                let mut names = names.iter().rev().map(|name| self.word(name));
                names.next().map(|column| (names.next(), column))
            }
            other => inner(other).and_then(|inner| self.column(inner)),
        }
    }
}

impl Visitor for Finder {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table { name, alias, .. } = factor {
            self.add_table(name, alias.as_ref().map(|alias| &alias.name));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        match &query.limit_clause {
            Some(LimitClause::LimitOffset { limit, offset, .. }) => {
                limit.iter().for_each(|limit| self.counted(limit, Role::Limit));
                offset.iter().for_each(|offset| self.counted(&offset.value, Role::Offset));
            }
            Some(LimitClause::OffsetCommaLimit { offset, limit }) => {
                self.counted(limit, Role::Limit);
                self.counted(offset, Role::Offset);
            }
            None => {}
        }
        if let Some(quantity) = query.fetch.as_ref().and_then(|fetch| fetch.quantity.as_ref()) {
            self.counted(quantity, Role::Limit);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        match expression {
            Expr::BinaryOp { left, op, right } => {
                if let Some((role, mirrored)) = role_of(op) {
                    self.compared(left, right, role);
                    self.compared(right, left, mirrored);
                }
            }
            Expr::In { expr, target: InTarget::List(list), .. } => {
                list.iter().for_each(|value| self.compared(expr, value, Role::Equal));
            }
            Expr::AnyOp { left, right, .. } => self.compared(left, right, Role::Array),
            Expr::Between { expr, low, high, .. } => {
                self.compared(expr, low, Role::From);
                self.compared(expr, high, Role::To);
            }
            Expr::Like { expr, pattern, .. } | Expr::ILike { expr, pattern, .. } => {
                self.compared(expr, pattern, Role::Like);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// The role of the value right of an operator, and of one left of it.
fn role_of(operator: &BinaryOperator) -> Option<(Role, Role)> {
    match operator {
        BinaryOperator::Eq | BinaryOperator::NotEq | BinaryOperator::Spaceship => {
            Some((Role::Equal, Role::Equal))
        }
        BinaryOperator::Gt | BinaryOperator::GtEq => Some((Role::From, Role::To)),
        BinaryOperator::Lt | BinaryOperator::LtEq => Some((Role::To, Role::From)),
        BinaryOperator::PGLikeMatch | BinaryOperator::PGILikeMatch => Some((Role::Like, Role::Like)),
        _ => None,
    }
}

/// The number of a value that stands alone.
fn exact(value: &Expr) -> Option<usize> {
    match value {
        Expr::Value(value) => number_of(&value.value),
        other => inner(other).and_then(exact),
    }
}

/// What an expression is but for brackets, a cast, or a function of one argument.
fn inner(expression: &Expr) -> Option<&Expr> {
    match expression {
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } | Expr::Collate { expr: inner, .. } => {
            Some(inner)
        }
        Expr::Function(function) => match &function.args {
            FunctionArguments::List(list) => match list.args.as_slice() {
                [FunctionArg::Unnamed(FunctionArgExpr::Expr(inner))] => Some(inner),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

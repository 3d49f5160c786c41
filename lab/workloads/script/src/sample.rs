//! `\sample FILE`: a row of a CSV file, whose columns become variables. The row follows from the operation's seed; each row is
//! equally probable. Values are made when the script is read, so that an operation only copies them.
//!
//! A whole number without quotes is an integer; everything else is a text, and a value that is empty without quotes is NULL.

use std::sync::Arc;

use humdrum_contract::Outcome;
use humdrum_model::Fault;

use crate::data::Csv;
use crate::evaluate::Variables;
use crate::value::Value;

/// Most values of one file: they are kept in memory.
const VALUES_MAX: usize = 10_000_000;

/// The rows of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// Names of the columns.
    pub columns: Vec<String>,
    rows: Arc<[Box<[Sample]>]>,
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
enum Sample {
    Null,
    Int(i64),
    Text(Box<str>),
}

impl Samples {
    /// All rows of an opened file.
    ///
    /// # Errors
    /// Usage: no row, a column whose name no variable can have, too many values, what the file's reader refuses.
    pub(crate) fn read(mut csv: Csv, shown: &str) -> Outcome<Self> {
        let columns = csv.columns.clone();
        let here = |what: String| Fault::usage(what).at(format!("{shown}:1:1"));
        if let Some(bad) = columns.iter().find(|name| !is_name(name)) {
            let fault = here(format!("no variable can be called `{bad}`"));
            return Err(fault.hint("columns become variables: letters, digits and _, no digit first"));
        }
        if let Some(twice) = columns.iter().enumerate().find(|(at, name)| columns[..*at].contains(name)) {
            return Err(
                here(format!("there are two columns `{}`", twice.1)).hint("give each a name of its own")
            );
        }
        let (mut rows, mut row) = (Vec::new(), Vec::new());
        while csv.next(&mut row)? {
            let quoted = csv.quoted.iter().copied();
            rows.push(row.drain(..).zip(quoted).map(|(field, quoted)| sample(field, quoted)).collect());
            if rows.len() * columns.len() > VALUES_MAX {
                let fault = here(format!("there are more than {VALUES_MAX} values"));
                return Err(fault.hint("take fewer rows: a sample of a thousand is enough for most"));
            }
        }
        if rows.is_empty() {
            return Err(
                here("there is no row below the names of the columns".into()).hint("write at least one")
            );
        }
        Ok(Self { columns, rows: rows.into() })
    }

    /// Gives the variables the values of a row.
    pub(crate) fn draw(&self, into: &[usize], variables: &mut Variables) {
        let row = variables.random.below(self.rows.len() as u64) as usize;
        for (value, variable) in self.rows[row].iter().zip(into) {
            match value {
                Sample::Null => variables.set(*variable, Value::Null),
                Sample::Int(number) => variables.set(*variable, Value::Int(*number)),
                Sample::Text(text) => variables.set_text(*variable, text),
            }
        }
    }
}

fn is_name(name: &str) -> bool {
    let first = name.bytes().next();
    first.is_some_and(|byte| !byte.is_ascii_digit()) && name.bytes().all(crate::names::is_name_byte)
}

fn sample(field: Option<Vec<u8>>, quoted: bool) -> Sample {
    let Some(bytes) = field else { return Sample::Null };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    // `007` and `+1` are texts: a number would lose what they are.
    let whole = || text.parse::<i64>().ok().filter(|number| number.to_string() == text);
    match whole().filter(|_| !quoted) {
        Some(number) => Sample::Int(number),
        None => Sample::Text(text.into()),
    }
}

/// Opens the files that scripts name.
pub trait Opener {
    /// The rows of a file, named at a byte of a script.
    ///
    /// # Errors
    /// Usage: no such file, or one that cannot be read.
    fn samples(&mut self, name: &str, place: &str) -> Outcome<Samples>;
}

/// A script by itself has no files beside it.
pub struct Alone;

impl Opener for Alone {
    fn samples(&mut self, name: &str, place: &str) -> Outcome<Samples> {
        Err(Fault::usage(format!("there is no file `{name}` beside this script")).at(place.to_owned()))
    }
}

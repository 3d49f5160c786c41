//! Where the values of a statement come from, and what they are in each row of a sample.

use crate::event::Value;

/// Where a value comes from.
pub(super) enum Source {
    /// A column's values; the row is so many behind.
    Drawn { values: Vec<Value>, shift: usize, form: Form },
    /// The value so far behind another value.
    Behind { from: usize, width: i64, sorted: Vec<Value> },
    /// The same in every row.
    Always(Value),
    /// That of another place: `$1` again.
    As(usize),
}

/// What is made of a column's value.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// Itself, NULL too.
    Whole,
    /// Itself; rows with NULL are passed over, because nothing is equal to NULL.
    NotNull,
    /// So many letters and `%`.
    Start(usize),
    /// An array of so many rows' values.
    Array(usize),
}

/// The values of row N.
pub(super) fn values_of(sources: &[Source], row: usize) -> Box<[Value]> {
    let mut out: Vec<Value> = sources
        .iter()
        .map(|source| match source {
            Source::Drawn { values, shift, form } => drawn(values, row + shift, *form),
            Source::Always(value) => value.clone(),
            Source::Behind { .. } | Source::As(_) => Value::Null,
        })
        .collect();
    for (number, source) in sources.iter().enumerate() {
        if let Source::Behind { from, width, sorted } = source {
            out[number] = behind(&out[*from], *width, sorted);
        }
    }
    for (number, source) in sources.iter().enumerate() {
        if let Source::As(other) = source {
            out[number] = out[*other].clone();
        }
    }
    out.into()
}

fn drawn(values: &[Value], at: usize, form: Form) -> Value {
    let round = (0..values.len()).map(|more| &values[(at + more) % values.len()]);
    let mut known = round.clone().filter(|value| **value != Value::Null);
    match form {
        Form::Whole => round.clone().next().cloned().unwrap_or(Value::Null),
        Form::NotNull => known.next().cloned().unwrap_or(Value::Null),
        Form::Start(letters) => known.next().map_or(Value::Null, |value| {
            Value::Text((text_of(value).chars().take(letters).collect::<String>() + "%").into())
        }),
        Form::Array(most) => Value::Text(array(known.take(most)).into()),
    }
}

/// An array as Postgres reads it.
fn array<'v>(values: impl Iterator<Item = &'v Value>) -> String {
    let element = |value: &Value| match value {
        Value::Text(text) => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
        other => text_of(other).to_owned(),
    };
    format!("{{{}}}", values.map(element).collect::<Vec<_>>().join(","))
}

fn behind(from: &Value, width: i64, sorted: &[Value]) -> Value {
    if let Value::Number(text) = from
        && let Ok(number) = text.parse::<i64>()
    {
        return Value::Number(number.saturating_add(width).to_string().into());
    }
    let next = sorted.iter().position(|value| value == from).map_or(0, |at| at + 1);
    sorted.get(next).or(sorted.last()).cloned().unwrap_or(Value::Null)
}

/// A value as text; nothing for NULL.
pub(super) fn text_of(value: &Value) -> &str {
    match value {
        Value::Null => "",
        Value::Number(text) | Value::Text(text) => text,
    }
}

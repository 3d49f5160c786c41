//! A value of the language: null, a boolean, a 64-bit integer, a double or, in a variable, a text; with pgbench's
//! conversions.

use std::fmt;

use humdrum_contract::Outcome;
use humdrum_model::Fault;

/// A value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// NULL.
    Null,
    /// TRUE or FALSE.
    Bool(bool),
    /// A 64-bit integer.
    Int(i64),
    /// A double.
    Double(f64),
    /// A text of an answer, which the variable keeps beside its value. No expression gives one.
    Text,
    /// Nothing was assigned to the variable yet.
    Unset,
}

impl Value {
    /// The integer; a double is rounded to the nearest, halves to the even one.
    pub(crate) fn int(self) -> Outcome<i64> {
        match self {
            Self::Int(value) => Ok(value),
            Self::Double(value) => rounded(value),
            _ => Err(self.no("an integer")),
        }
    }

    pub(crate) fn double(self) -> Outcome<f64> {
        match self {
            Self::Int(value) => Ok(value as f64),
            Self::Double(value) => Ok(value),
            _ => Err(self.no("a double")),
        }
    }

    pub(crate) fn bool(self) -> Outcome<bool> {
        match self {
            Self::Bool(value) => Ok(value),
            other => Err(other.no("a boolean")),
        }
    }

    pub(crate) fn is_double(self) -> bool {
        matches!(self, Self::Double(_))
    }

    /// Whether a condition of `\if` or CASE holds: not null, not false, not zero.
    pub fn holds(self) -> bool {
        match self {
            Self::Null | Self::Text | Self::Unset => false,
            Self::Bool(value) => value,
            Self::Int(value) => value != 0,
            Self::Double(value) => value != 0.0,
        }
    }

    /// What a text of an answer means in an expression.
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        let word = text.trim();
        match word.to_ascii_lowercase().as_str() {
            "null" => return Some(Self::Null),
            "true" | "t" | "yes" | "on" => return Some(Self::Bool(true)),
            "false" | "f" | "no" | "off" => return Some(Self::Bool(false)),
            _ => {}
        }
        let double = || word.parse().ok().map(Self::Double);
        word.parse().ok().map(Self::Int).or_else(double)
    }

    fn no(self, kind: &str) -> Fault {
        let own = match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Int(_) => "integer",
            Self::Double(_) => "double",
            Self::Text => "text",
            Self::Unset => "unset",
        };
        Fault::usage(format!("a value of type {own} ({self}) is not {kind}"))
    }
}

/// `rint` of C, refused where the result is no 64-bit integer. -2^63 is one, 2^63 is not.
fn rounded(value: f64) -> Outcome<i64> {
    let whole = value.round_ties_even();
    let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&whole);
    fits.then_some(whole as i64).ok_or_else(|| Fault::usage(format!("{value} is too large for an integer")))
}

/// As pgbench sends it to the server.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("NULL"),
            Self::Text => f.write_str("text"),
            Self::Unset => f.write_str("unset"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Double(value) => f.write_str(&significant(*value)),
        }
    }
}

/// `%.15g` as Postgres has it: fifteen significant digits, no zeros at the end, an exponent where it is below -4 or above 14.
fn significant(value: f64) -> String {
    if !value.is_finite() {
        let infinite = if value < 0.0 { "-Infinity" } else { "Infinity" };
        return (if value.is_nan() { "NaN" } else { infinite }).to_owned();
    }
    let scientific = format!("{value:.14e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..15).contains(&exponent) {
        return trimmed(&format!("{value:.*}", (14 - exponent) as usize)).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
}

fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_written_as_pgbench_writes_them() {
        let written = [
            (0.0, "0"),
            (0.1 + 0.2, "0.3"),
            (1e15, "1e+15"),
            (-1.5e-7, "-1.5e-07"),
            (123_456_789_012_345.0, "123456789012345"),
            (1.0 / 3.0, "0.333333333333333"),
            (f64::NEG_INFINITY, "-Infinity"),
            (f64::INFINITY, "Infinity"),
            (f64::NAN, "NaN"),
        ];
        for (value, text) in written {
            assert_eq!(Value::Double(value).to_string(), text);
        }
    }

    #[test]
    fn doubles_round_to_even_and_refuse_what_is_too_large() {
        assert_eq!(Value::Double(2.5).int(), Ok(2));
        assert_eq!(Value::Double(-3.5).int(), Ok(-4));
        assert!(Value::Double(1e19).int().is_err() && Value::Double(f64::NAN).int().is_err());
        assert_eq!(Value::of_text(" 12 "), Some(Value::Int(12)));
        assert_eq!(Value::of_text("1.50"), Some(Value::Double(1.5)));
        assert_eq!((Value::of_text("t"), Value::of_text("abc")), (Some(Value::Bool(true)), None));
        let fault = Value::Bool(true).int().expect_err("no integer");
        assert_eq!(fault.to_string(), "a value of type boolean (true) is not an integer");
    }
}

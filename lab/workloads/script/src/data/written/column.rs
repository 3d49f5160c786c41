//! The generator of a column, from its keys.

use std::sync::Arc;

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use toml::Value;

use super::super::csv::Field;
use super::super::moment::{self, DAY};
use super::super::{Column, Number, Values};
use super::{Keys, Sources, WrittenColumn};
use crate::source::Source;

/// All kinds, for hints.
const KINDS: &str = "\"sequence\", or one of { sequence = 1 }, { uniform = [1, 100] }, { zipf = [1, 100], theta = 0.9 }, \
    { words = [1, 8] }, { list = [\"a\", \"b\"] }, { csv = \"file.csv\", column = \"name\" }, { value = 0 }";

/// Decimals of a range whose ends have some, without `digits`.
const DIGITS_DEFAULT: u32 = 2;

/// More would not fit into 64 bits with some digits before the point.
const DIGITS_MOST: u32 = 9;

/// Words of a text at most: some megabytes.
const WORDS_MOST: i64 = 1_000_000;

/// What a mistake is told with: the file, and the byte of the generator.
struct Here<'a> {
    source: &'a Source<'a>,
    offset: usize,
    name: &'a str,
}

impl Here<'_> {
    fn fault(&self, what: &str, hint: &str) -> Fault {
        self.source.fault(self.offset, format!("column `{}`: {what}", self.name)).hint(hint)
    }

    fn number(&self, value: &Value) -> Outcome<Number> {
        let named = |fault: Fault| Fault { what: format!("column `{}`: {}", self.name, fault.what), ..fault };
        Number::read(self.source, self.offset, value).map_err(named)
    }

    /// The ends of a range.
    fn ends<'v>(&self, key: &str, values: &'v [Value]) -> Outcome<[&'v Value; 2]> {
        match values {
            [least, greatest] => Ok([least, greatest]),
            _ => Err(self.fault(
                &format!("`{key}` takes two ends, not {} values", values.len()),
                &format!("{key} = [1, 100]; of values that are listed, type list = [\"a\", \"b\"]"),
            )),
        }
    }
}

/// Reads a column.
pub(super) fn column(
    source: &Source<'_>,
    name: &str,
    (written, offset): (&WrittenColumn, usize),
    files: &mut dyn Sources,
) -> Outcome<Column> {
    let here = Here { source, offset, name };
    let only = Keys { sequence: Some(Value::Integer(1)), ..Keys::default() };
    let keys = match written {
        WrittenColumn::Keys(keys) => keys,
        WrittenColumn::Word(word) if word == "sequence" => &only,
        WrittenColumn::Word(word) => return Err(here.fault(&format!("no generator `{word}`"), KINDS)),
    };
    let null = keys.null.unwrap_or(0.0);
    if !(0.0..=1.0).contains(&null) {
        return Err(here.fault(&format!("`null` is {null}"), "it is a share from 0 to 1: null = 0.1"));
    }
    let values = values(&here, keys, files)?;
    Ok(Column { name: name.to_owned(), values, null, place: source.place(offset) })
}

fn values(here: &Here<'_>, keys: &Keys, files: &mut dyn Sources) -> Outcome<Values> {
    one_kind(here, keys)?;
    if let Some(first) = &keys.sequence {
        return here.number(first).map(Values::Sequence);
    }
    if let Some(range) = &keys.uniform {
        return uniform(here, here.ends("uniform", range)?, keys.digits);
    }
    if let Some(range) = &keys.zipf {
        let [least, greatest] = here.ends("zipf", range)?;
        let theta = keys.theta.unwrap_or(1.0);
        if !(0.01..=100.0).contains(&theta) {
            return Err(here.fault(&format!("`theta` is {theta}"), "type a number from 0.01 to 100, as 0.9"));
        }
        return Ok(Values::Zipf { least: here.number(least)?, greatest: here.number(greatest)?, theta });
    }
    if let Some(words) = &keys.words {
        return self::words(here, words);
    }
    if let Some(name) = &keys.csv {
        let values = files.csv_column(name, keys.column.as_deref(), here.offset)?;
        if values.is_empty() {
            return Err(
                here.fault(&format!("`{name}` has no rows"), "write at least one below the first line")
            );
        }
        return Ok(Values::Pick(Arc::new(values), None));
    }
    let list = keys.list.as_deref().or(keys.value.as_ref().map(std::slice::from_ref)).unwrap_or_default();
    if list.is_empty() {
        return Err(here.fault("the list is empty", "list = [\"a\", \"b\"]"));
    }
    let fields = list.iter().map(|value| field(here, value)).collect::<Outcome<Vec<_>>>()?;
    let sums = keys.weights.as_ref().map(|weights| sums(here, weights, fields.len())).transpose()?;
    Ok(Values::Pick(Arc::new(fields), sums))
}

/// Exactly one kind is named, and only with keys that belong to it.
fn one_kind(here: &Here<'_>, keys: &Keys) -> Outcome<()> {
    let kinds = [
        ("sequence", keys.sequence.is_some()),
        ("uniform", keys.uniform.is_some()),
        ("zipf", keys.zipf.is_some()),
        ("words", keys.words.is_some()),
        ("list", keys.list.is_some()),
        ("csv", keys.csv.is_some()),
        ("value", keys.value.is_some()),
    ];
    let named: Vec<&str> = kinds.iter().filter(|(_, there)| *there).map(|(kind, _)| *kind).collect();
    let kind = match *named.as_slice() {
        [kind] => kind,
        [] => return Err(here.fault("no generator is named", KINDS)),
        _ => return Err(here.fault(&format!("{} at once", named.join(" and ")), "name one generator")),
    };
    for (key, of, there) in [
        ("theta", "zipf", keys.theta.is_some()),
        ("digits", "uniform", keys.digits.is_some()),
        ("weights", "list", keys.weights.is_some()),
        ("column", "csv", keys.column.is_some()),
    ] {
        if there && kind != of {
            let what = format!("`{key}` belongs to `{of}`, and the generator is `{kind}`");
            return Err(here.fault(&what, &format!("leave `{key}` out, or take `{of}`")));
        }
    }
    Ok(())
}

/// The range is one of moments, of numbers with decimals, or of whole numbers.
fn uniform(here: &Here<'_>, [least, greatest]: [&Value; 2], digits: Option<u32>) -> Outcome<Values> {
    match (least, greatest) {
        (Value::Datetime(from), Value::Datetime(to)) => {
            let ((least, is_date), (greatest, also)) = (seconds(here, from)?, seconds(here, to)?);
            let is_date = is_date && also;
            Ok(Values::Moments { least, greatest, is_date })
        }
        (Value::Float(_), _) | (_, Value::Float(_)) => decimal(here, [least, greatest], digits),
        _ if digits.is_some() => decimal(here, [least, greatest], digits),
        _ => Ok(Values::Uniform(here.number(least)?, here.number(greatest)?)),
    }
}

fn decimal(here: &Here<'_>, ends: [&Value; 2], digits: Option<u32>) -> Outcome<Values> {
    let digits = digits.unwrap_or(DIGITS_DEFAULT);
    if digits > DIGITS_MOST {
        return Err(here.fault(&format!("`digits` is {digits}"), &format!("type 0 to {DIGITS_MOST}")));
    }
    let units = |value: &Value| {
        let number = value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64));
        let units = number.map(|number| (number * 10_f64.powi(digits as i32)).round());
        let units = units.filter(|units| units.abs() < 1e15);
        units.map(|units| units as i64).ok_or_else(|| {
            here.fault(
                &format!("`{value}` with {digits} digits is no number, or is too large"),
                "uniform = [0.5, 99.99], digits = 2",
            )
        })
    };
    Ok(Values::Decimal { least: units(ends[0])?, greatest: units(ends[1])?, digits })
}

/// Seconds since 1970, and whether it is a date without a time of day.
fn seconds(here: &Here<'_>, moment: &toml::value::Datetime) -> Outcome<(i64, bool)> {
    let Some(date) = moment.date.filter(|_| moment.offset.is_none()) else {
        let what = format!("`{moment}` is no date, or has a time zone");
        return Err(
            here.fault(&what, "uniform = [2024-01-01, 2024-12-31], or with times: 2024-01-01T08:00:00")
        );
    };
    let days = moment::days(date.year.into(), date.month.into(), date.day.into());
    let clock = moment.time.map_or(0, |time| {
        let [hour, minute, second] = [time.hour, time.minute, time.second.unwrap_or(0)].map(i64::from);
        hour * 3600 + minute * 60 + second
    });
    Ok((days * DAY + clock, moment.time.is_none()))
}

fn words(here: &Here<'_>, value: &Value) -> Outcome<Values> {
    let (least, most) = match value {
        Value::Integer(count) => (*count, *count),
        Value::Array(ends) => match ends.as_slice() {
            [Value::Integer(least), Value::Integer(most)] => (*least, *most),
            _ => (-1, -1),
        },
        _ => (-1, -1),
    };
    if least < 0 || most < least || most > WORDS_MOST {
        let what = format!("`words` is {value}");
        let hint = format!("type how many, from 0 to {WORDS_MOST}: words = 5, or words = [1, 8]");
        return Err(here.fault(&what, &hint));
    }
    Ok(Values::Words { least: least.cast_unsigned(), most: most.cast_unsigned() })
}

/// A value of a list as the text that every engine reads; booleans are 1 and 0.
fn field(here: &Here<'_>, value: &Value) -> Outcome<Field> {
    Ok(Some(match value {
        Value::String(text) => text.clone().into_bytes(),
        Value::Boolean(value) => vec![if *value { b'1' } else { b'0' }],
        Value::Integer(_) | Value::Float(_) => value.to_string().into_bytes(),
        Value::Datetime(moment) => {
            let (seconds, is_date) = seconds(here, moment)?;
            moment::text(seconds, is_date).into_bytes()
        }
        Value::Array(_) | Value::Table(_) => {
            return Err(here.fault(&format!("`{value}` is no single value"), "list = [\"a\", \"b\"]"));
        }
    }))
}

/// Weights added up.
fn sums(here: &Here<'_>, weights: &[u64], count: usize) -> Outcome<Vec<u64>> {
    if weights.len() != count {
        let what = format!("{} weights for {count} values", weights.len());
        return Err(
            here.fault(&what, "write one weight for each value: list = [\"a\", \"b\"], weights = [9, 1]")
        );
    }
    let mut sum = 0_u64;
    let sums: Vec<u64> = weights.iter().map(|weight| (sum = sum.saturating_add(*weight), sum).1).collect();
    if sum == 0 {
        return Err(here.fault("all weights are 0", "give one value a weight of 1 or more"));
    }
    Ok(sums)
}

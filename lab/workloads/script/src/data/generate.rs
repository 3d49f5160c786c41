//! Makes the values of a column.

use std::io::Write;
use std::sync::Arc;

use humdrum_contract::{Outcome, Random};
use humdrum_model::{FNV1A, Fault, fnv1a};
use humdrum_workload_common::Zipf;

use super::csv::Field;
use super::moment;
use super::number::Number;
use super::words::WORDS;

/// A column with its generator.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) values: Values,
    /// The share of values that are NULL, from 0 to 1.
    pub(crate) null: f64,
    /// `FILE:LINE:COLUMN` of its description.
    pub(crate) place: String,
}

/// What the values of a column are.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Values {
    /// This number and those after it, without gaps.
    Sequence(Number),
    /// Whole numbers of a range, all equally frequent.
    Uniform(Number, Number),
    /// Numbers of a range with so many decimals; its ends are counted in units of the last decimal.
    Decimal { least: i64, greatest: i64, digits: u32 },
    /// Dates or moments of a range, in seconds.
    Moments { least: i64, greatest: i64, is_date: bool },
    /// Whole numbers of a range: the nth of them is as frequent as n to the power of minus theta.
    Zipf { least: Number, greatest: Number, theta: f64 },
    /// Texts of so many words.
    Words { least: u64, most: u64 },
    /// One of these, by weights that are added up, or all equally frequent.
    Pick(Arc<Vec<Field>>, Option<Vec<u64>>),
}

/// A generator at one scale.
pub(crate) struct Generator {
    kind: Kind,
    null: f64,
    /// Of the table and the column.
    seed: u64,
}

enum Kind {
    Sequence(i64),
    Uniform(i64, u64),
    Decimal { least: i64, count: u64, digits: u32 },
    Moments { least: i64, count: u64, is_date: bool },
    Zipf(i64, Zipf),
    Words(u64, u64),
    Pick(Arc<Vec<Field>>, Option<Vec<u64>>),
}

impl Column {
    /// The generator of a column at a scale; `seed` is that of the load, `table` the name of its table.
    pub(crate) fn at(&self, scale: u64, seed: u64, table: &str) -> Outcome<Generator> {
        let whole = |number: i64| number.to_string();
        let kind = match &self.values {
            Values::Sequence(first) => Kind::Sequence(first.at(scale)?),
            Values::Uniform(least, greatest) => {
                let (least, count) = self.range([least.at(scale)?, greatest.at(scale)?], table, whole)?;
                Kind::Uniform(least, count)
            }
            Values::Decimal { least, greatest, digits } => {
                let shown = |number| decimal(number, *digits);
                let (least, count) = self.range([*least, *greatest], table, shown)?;
                Kind::Decimal { least, count, digits: *digits }
            }
            Values::Moments { least, greatest, is_date } => {
                let unit = if *is_date { moment::DAY } else { 1 };
                let shown = |number: i64| moment::text(number * unit, *is_date);
                let (least, count) = self.range([least / unit, greatest / unit], table, shown)?;
                Kind::Moments { least: least * unit, count, is_date: *is_date }
            }
            Values::Zipf { least, greatest, theta } => {
                let (least, count) = self.range([least.at(scale)?, greatest.at(scale)?], table, whole)?;
                Kind::Zipf(least, Zipf::new(count, *theta))
            }
            Values::Words { least, most } => Kind::Words(*least, *most),
            Values::Pick(values, sums) => Kind::Pick(Arc::clone(values), sums.clone()),
        };
        let seed = Random::of(Random::of(seed, named(table)).next(), named(&self.name)).next();
        Ok(Generator { kind, null: self.null, seed })
    }

    /// The least number and how many there are. `shown` writes a number as the user does.
    fn range(
        &self,
        [least, greatest]: [i64; 2],
        table: &str,
        shown: impl Fn(i64) -> String,
    ) -> Outcome<(i64, u64)> {
        let width = greatest.checked_sub(least).filter(|width| *width >= 0 && *width < i64::MAX);
        let count = width.map(|width| width.cast_unsigned() + 1);
        count.map(|count| (least, count)).ok_or_else(|| {
            let (name, least, greatest) = (&self.name, shown(least), shown(greatest));
            let what = format!(
                "column `{name}` of `{table}`: the range from {least} to {greatest} is empty or too large"
            );
            Fault::usage(what).at(self.place.clone()).hint("write the smaller end first: uniform = [1, 100]")
        })
    }
}

fn named(name: &str) -> u64 {
    fnv1a(FNV1A, name.as_bytes())
}

impl Generator {
    /// Appends the value of a row, counted from 0.
    pub(crate) fn push(&self, row: u64, out: &mut Vec<u8>) {
        let random = &mut Random::of(self.seed, row);
        // Without this test, a share of 0 would draw a number, and another share would change all values.
        if self.null > 0.0 && Random::of(!self.seed, row).unit() < self.null {
            out.extend_from_slice(b"\\N");
            return;
        }
        match &self.kind {
            Kind::Sequence(first) => push_number(first.wrapping_add_unsigned(row), out),
            Kind::Uniform(least, count) => {
                push_number(least.wrapping_add_unsigned(random.below(*count)), out)
            }
            Kind::Decimal { least, count, digits } => {
                push_decimal(least.wrapping_add_unsigned(random.below(*count)), *digits, out);
            }
            Kind::Moments { least, count, is_date } => {
                let unit = if *is_date { moment::DAY } else { 1 };
                let seconds = least + random.below(*count).cast_signed() * unit;
                out.extend_from_slice(moment::text(seconds, *is_date).as_bytes());
            }
            Kind::Zipf(least, zipf) => push_number(least.wrapping_add_unsigned(zipf.draw(random) - 1), out),
            Kind::Words(least, most) => {
                for number in 0..least + random.below(most - least + 1) {
                    out.extend_from_slice(if number > 0 { b" " } else { b"" });
                    out.extend_from_slice(WORDS[random.below(WORDS.len() as u64) as usize].as_bytes());
                }
            }
            Kind::Pick(values, sums) => {
                push_field(&values[picked(values.len(), sums.as_deref(), random)], out)
            }
        }
    }
}

fn picked(count: usize, sums: Option<&[u64]>, random: &mut Random) -> usize {
    match sums {
        None => random.below(count as u64) as usize,
        Some(sums) => {
            let drawn = random.below(sums.last().copied().unwrap_or(1));
            sums.partition_point(|sum| *sum <= drawn).min(count - 1)
        }
    }
}

fn push_number(number: i64, out: &mut Vec<u8>) {
    // Writing to a vector cannot fail.
    let _ = write!(out, "{number}");
}

fn decimal(units: i64, digits: u32) -> String {
    let mut text = Vec::new();
    push_decimal(units, digits, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn push_decimal(units: i64, digits: u32, out: &mut Vec<u8>) {
    let (sign, units, unit) = (if units < 0 { "-" } else { "" }, units.unsigned_abs(), 10_u64.pow(digits));
    let _ = match digits {
        0 => write!(out, "{sign}{units}"),
        digits => write!(out, "{sign}{}.{:0width$}", units / unit, units % unit, width = digits as usize),
    };
}

/// Appends a value in the form that a bulk load takes.
pub(crate) fn push_field(field: &Field, out: &mut Vec<u8>) {
    let Some(value) = field else { return out.extend_from_slice(b"\\N") };
    for byte in value {
        match byte {
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            byte => out.push(*byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: Values) -> Column {
        Column { name: "c".into(), values, null: 0.0, place: "workload.toml:1:1".into() }
    }

    fn drawn(column: &Column, seed: u64, rows: u64) -> Vec<String> {
        let generator = column.at(1, seed, "t").expect("a generator");
        let one = |row| {
            let mut out = Vec::new();
            generator.push(row, &mut out);
            String::from_utf8(out).expect("UTF-8")
        };
        (0..rows).map(one).collect()
    }

    /// Other values would be other data: results could not be compared with older ones.
    #[test]
    fn values_are_what_they_were() {
        let fixed = |number| Number::Fixed(number);
        let day = moment::DAY;
        let all = [
            Values::Sequence(fixed(10)),
            Values::Uniform(fixed(-5), fixed(5)),
            Values::Decimal { least: -150, greatest: 9_999, digits: 2 },
            Values::Moments { least: 0, greatest: 365 * day, is_date: true },
            Values::Moments { least: 0, greatest: 365 * day, is_date: false },
            Values::Zipf { least: fixed(1), greatest: fixed(1000), theta: 0.9 },
            Values::Words { least: 1, most: 4 },
            Values::Pick(Arc::new(vec![Some(b"a\tb".to_vec()), None, Some(Vec::new())]), None),
        ];
        let lines: Vec<String> =
            all.into_iter().map(|values| drawn(&column(values), 1, 4).join("|")).collect();
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn columns_of_a_table_and_tables_have_values_of_their_own() {
        let one = column(Values::Uniform(Number::Fixed(1), Number::Fixed(1_000_000)));
        let other = Column { name: "d".into(), ..one.clone() };
        assert_ne!(drawn(&one, 1, 5), drawn(&other, 1, 5));
        assert_ne!(drawn(&one, 1, 5), drawn(&one, 2, 5));
        let nulls = Column { null: 0.25, ..one.clone() };
        let (with, without) = (drawn(&nulls, 1, 4000), drawn(&one, 1, 4000));
        let count = with.iter().filter(|value| *value == "\\N").count();
        assert!((900..1100).contains(&count), "{count}");
        assert!(with.iter().zip(&without).all(|(with, without)| with == "\\N" || with == without));
    }

    #[test]
    fn weights_decide_how_often_a_value_comes() {
        let values = Arc::new(vec![Some(b"a".to_vec()), Some(b"b".to_vec())]);
        let all = drawn(&column(Values::Pick(values, Some(vec![9, 10]))), 3, 4000);
        let count = all.iter().filter(|value| *value == "b").count();
        assert!((330..470).contains(&count), "{count}");
    }

    #[test]
    fn empty_ranges_are_refused_at_their_place() {
        let day = moment::DAY;
        for (values, range) in [
            (Values::Uniform(Number::Fixed(5), Number::Fixed(4)), "5 to 4"),
            (Values::Decimal { least: 9_999, greatest: 50, digits: 2 }, "99.99 to 0.50"),
            (Values::Moments { least: day, greatest: 0, is_date: true }, "1970-01-02 to 1970-01-01"),
        ] {
            let said = column(values).at(1, 1, "t").err().expect("refused").to_string();
            let wanted =
                format!("workload.toml:1:1: column `c` of `t`: the range from {range} is empty or too large");
            assert_eq!(said, wanted);
        }
    }
}

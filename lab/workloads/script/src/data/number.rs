//! A whole number in `workload.toml`: written out, or an expression of the scale, as "1000 * scale".

use humdrum_contract::{Outcome, Random};
use humdrum_model::Fault;

use crate::evaluate::Variables;
use crate::expression::Expression;
use crate::names::{Names, is_name_byte};
use crate::source::Source;
use crate::value::Value;

/// A whole number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Number {
    /// The same at every scale.
    Fixed(i64),
    /// An expression in the language of scripts, and its place.
    Of(Expression, Names, String),
}

impl Number {
    /// Reads a value that stands at a byte of the file.
    pub(crate) fn read(source: &Source<'_>, offset: usize, value: &toml::Value) -> Outcome<Self> {
        let hint = "type a whole number, or an expression of the scale, as \"1000 * scale\"";
        match value {
            toml::Value::Integer(number) => Ok(Self::Fixed(*number)),
            toml::Value::String(text) => {
                let (text, mut names) = (with_colons(text), Names::default());
                let inner = Source { file: source.file, text: &text };
                let read = Expression::parse(&inner, 0, text.len(), &mut names);
                let expression =
                    read.map_err(|fault| Fault { places: vec![source.place(offset)], ..fault })?;
                Ok(Self::Of(expression, names, source.place(offset)))
            }
            other => Err(source.fault(offset, format!("`{other}` is no whole number")).hint(hint)),
        }
    }

    /// Its value.
    pub(crate) fn at(&self, scale: u64) -> Outcome<i64> {
        let (expression, names, place) = match self {
            Self::Fixed(number) => return Ok(*number),
            Self::Of(expression, names, place) => (expression, names, place),
        };
        let mut variables = Variables::new(names, Random::new(0));
        if let Some(variable) = names.find("scale") {
            variables.set(variable, Value::Int(scale.cast_signed()));
        }
        expression.evaluate(&mut variables).and_then(Value::int).map_err(|fault| fault.at(place.clone()))
    }

    /// Its value as a number of rows.
    pub(crate) fn count(&self, scale: u64) -> Outcome<u64> {
        let value = self.at(scale)?;
        u64::try_from(value).map_err(|_| {
            let fault =
                Fault::usage(format!("{value} rows at scale {scale}, and there cannot be fewer than 0"));
            match self {
                Self::Fixed(_) => fault,
                Self::Of(_, _, place) => fault.at(place.clone()),
            }
        })
    }
}

/// The word `scale` needs no colon here, because there is no other variable.
fn with_colons(text: &str) -> String {
    const WORD: &str = "scale";
    let (mut all, bytes) = (String::new(), text.as_bytes());
    let mut from = 0;
    for (at, word) in text.match_indices(WORD) {
        let apart = |byte: Option<&u8>| byte.is_none_or(|byte| !is_name_byte(*byte));
        let before = at.checked_sub(1).map(|before| &bytes[before]);
        all.push_str(&text[from..at]);
        if apart(before) && before != Some(&b':') && apart(bytes.get(at + word.len())) {
            all.push(':');
        }
        from = at;
    }
    all.push_str(&text[from..]);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: toml::Value) -> Outcome<Number> {
        Number::read(&Source { file: "workload.toml", text: "rows = " }, 7, &value)
    }

    #[test]
    fn numbers_follow_the_scale() {
        for (text, wanted) in
            [("1000 * scale", 3000), (":scale", 3), ("1 + least(scale, 2) / 2", 2), ("7", 7)]
        {
            assert_eq!(read(text.into()).and_then(|number| number.at(3)), Ok(wanted), "{text}");
        }
        assert_eq!(read(12.into()).and_then(|number| number.count(3)), Ok(12));
    }

    #[test]
    fn what_is_no_number_is_told_at_its_place() {
        for (value, wanted) in [
            ("10 *".into(), "workload.toml:1:8: a value is missing at the end of the expression"),
            ("10 * size".into(), "workload.toml:1:8: `size` is not a value"),
            (toml::Value::Boolean(true), "workload.toml:1:8: `true` is no whole number"),
        ] {
            assert_eq!(read(value).expect_err("refused").to_string(), wanted);
        }
        let fewer = read("10 - 20 * scale".into()).and_then(|number| number.count(3)).expect_err("refused");
        assert_eq!(
            fewer.to_string(),
            "workload.toml:1:8: -50 rows at scale 3, and there cannot be fewer than 0"
        );
    }
}

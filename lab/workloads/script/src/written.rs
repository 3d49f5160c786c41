//! `workload.toml` as it is written, and the checks of its values. Every mistake is named with its line.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use serde::Deserialize;
use toml::Spanned;

use crate::data::WrittenData;
use crate::source::{Source, meant};

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Written {
    pub(crate) name: Spanned<String>,
    pub(crate) about: Option<String>,
    protocol: Option<Spanned<String>>,
    rows: Option<Spanned<i64>>,
    scales: Option<Spanned<BTreeMap<String, Spanned<i64>>>>,
    mix: Option<Spanned<BTreeMap<String, Spanned<i64>>>>,
    pub(crate) data: Option<Spanned<WrittenData>>,
    pub(crate) on_restore_error: Option<Spanned<String>>,
    pub(crate) statistics: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) test: Vec<WrittenTest>,
    #[serde(default)]
    pub(crate) condition: Vec<WrittenCondition>,
}

/// A `[[test]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenTest {
    pub(crate) name: Spanned<String>,
    pub(crate) file: Spanned<String>,
    pub(crate) group: Option<Spanned<String>>,
    pub(crate) about: Option<String>,
    pub(crate) writes: Option<bool>,
    #[serde(default)]
    pub(crate) long: bool,
    weight: Option<Spanned<i64>>,
}

/// A `[[condition]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenCondition {
    pub(crate) name: Spanned<String>,
    pub(crate) file: Spanned<String>,
    pub(crate) about: Option<String>,
}

/// How statements are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// Prepared once for each connection.
    #[default]
    Prepared,
    /// Parsed, bound and run each time.
    Extended,
    /// As text with the values in it.
    Simple,
}

/// A named scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedScale {
    /// Its name.
    pub name: String,
    /// The value of `:scale`.
    pub scale: u64,
}

/// The name of the test that is a mix of the others.
pub(crate) const MIX: &str = "mix";

pub(crate) const EXAMPLE: &str = "name = \"shop\"\n[[test]]\nname = \"checkout\"\nfile = \"checkout.sql\"";

/// Largest weight and scale: sums and products of them stay far below the limits of integers.
const MOST: i64 = 1_000_000;

/// Reads the file's text.
pub(crate) fn read(source: &Source<'_>) -> Outcome<Written> {
    let written: Written = toml::from_str(source.text).map_err(|error| {
        let offset = error.span().map_or(0, |span: Range<usize>| span.start);
        source.fault(offset, error.message().replace('\n', ", "))
    })?;
    check_name(source, &written.name)?;
    if written.test.is_empty() {
        let fault = source.fault(source.text.len(), "the workload has no test");
        return Err(fault.hint(format!("it begins like this:\n{EXAMPLE}")));
    }
    for test in &written.test {
        test.group.iter().try_for_each(|group| check_name(source, group))?;
    }
    check_names(source, "test", written.test.iter().map(|test| &test.name))?;
    check_names(source, "condition", written.condition.iter().map(|condition| &condition.name))?;
    Ok(written)
}

impl Written {
    /// How statements are sent.
    pub(crate) fn protocol(&self, source: &Source<'_>) -> Outcome<Protocol> {
        let Some(protocol) = &self.protocol else { return Ok(Protocol::default()) };
        let fault = || source.fault(protocol.span().start, format!("no protocol `{}`", protocol.get_ref()));
        match protocol.get_ref().as_str() {
            "prepared" => Ok(Protocol::Prepared),
            "simple" => Ok(Protocol::Simple),
            "extended" => Ok(Protocol::Extended),
            _ => Err(fault().hint("type prepared, extended or simple")),
        }
    }

    /// Rows of all tables at scale 1, if they are given.
    pub(crate) fn rows(&self, source: &Source<'_>) -> Outcome<Option<u64>> {
        let Some(rows) = &self.rows else { return Ok(None) };
        match u64::try_from(*rows.get_ref()) {
            Ok(rows @ 1..) => Ok(Some(rows)),
            _ => Err(source
                .fault(rows.span().start, format!("`rows` is {}, and must be 1 or more", rows.get_ref()))
                .hint(
                    "it is how many rows the load makes at scale 1, for estimates of time; or leave it out",
                )),
        }
    }

    /// The scales, smallest first.
    pub(crate) fn scales(&self, source: &Source<'_>) -> Outcome<Vec<NamedScale>> {
        let Some(scales) = &self.scales else {
            return Ok(vec![NamedScale { name: "small".to_owned(), scale: 1 }]);
        };
        if scales.get_ref().is_empty() {
            return Err(source
                .fault(scales.span().start, "there is no scale")
                .hint("scales = { small = 1, large = 10 }, or leave it out"));
        }
        let mut all = Vec::new();
        for (name, value) in scales.get_ref() {
            check_word(source, value.span().start, name)?;
            let scale = within(source, value, "a scale")?;
            all.push(NamedScale { name: name.clone(), scale });
        }
        all.sort_by_key(|one| one.scale);
        Ok(all)
    }

    /// Weights of the mix by position of the test: those of `mix`, else those of the tests.
    pub(crate) fn weights(&self, source: &Source<'_>) -> Outcome<Vec<(usize, u64)>> {
        let weighted = self.test.iter().enumerate();
        let weighted = weighted.filter_map(|(number, test)| Some((number, test.weight.as_ref()?)));
        let own: Vec<_> = weighted.collect();
        let weights = match (&self.mix, own.first()) {
            (None, _) => own,
            (Some(_), Some((_, weight))) => {
                let fault = source.fault(weight.span().start, "there is a `mix` already");
                return Err(fault.hint("give weights in `mix` or beside the tests, not both"));
            }
            (Some(mix), None) => {
                let offset = mix.span().start;
                let each = mix.get_ref().iter();
                each.map(|(name, weight)| Ok((self.position(source, offset, name)?, weight)))
                    .collect::<Outcome<Vec<_>>>()?
            }
        };
        let checked =
            weights.iter().map(|(number, weight)| Ok((*number, within(source, weight, "a weight")?)));
        let checked = checked.collect::<Outcome<Vec<_>>>()?;
        if let (Some(test), false) =
            (self.test.iter().find(|test| test.name.get_ref() == MIX), checked.is_empty())
        {
            let fault = source.fault(test.name.span().start, "the mix of the tests is called `mix`");
            return Err(fault.hint("give this test another name"));
        }
        Ok(checked)
    }

    fn position(&self, source: &Source<'_>, offset: usize, name: &str) -> Outcome<usize> {
        let names = || self.test.iter().map(|test| test.name.get_ref().as_str());
        names().position(|known| known == name).ok_or_else(|| {
            let fault = source.fault(offset, format!("the mix names `{name}`, and there is no such test"));
            match meant(name, names()) {
                Some(near) => fault.hint(format!("did you mean `{near}`?")),
                None => fault.hint(format!("tests: {}", names().collect::<Vec<_>>().join(", "))),
            }
        })
    }
}

fn within(source: &Source<'_>, value: &Spanned<i64>, what: &str) -> Outcome<u64> {
    match *value.get_ref() {
        number @ 1..=MOST => Ok(number.cast_unsigned()),
        number => Err(source
            .fault(value.span().start, format!("{what} of {number} is outside 1 to {MOST}"))
            .hint("type a whole number of 1 or more")),
    }
}

/// Names of tests or conditions: no two are the same.
fn check_names<'w>(
    source: &Source<'_>,
    what: &str,
    names: impl Iterator<Item = &'w Spanned<String>>,
) -> Outcome<()> {
    let mut above = BTreeSet::new();
    for name in names {
        check_name(source, name)?;
        if !above.insert(name.get_ref()) {
            let told = format!("there is another {what} `{}` above", name.get_ref());
            let fault = source.fault(name.span().start, told);
            return Err(fault.hint(format!("give each {what} a name of its own")));
        }
    }
    Ok(())
}

fn check_name(source: &Source<'_>, name: &Spanned<String>) -> Outcome<()> {
    check_word(source, name.span().start, name.get_ref())
}

/// Names are part of command lines and of addresses in reports.
fn check_word(source: &Source<'_>, offset: usize, text: &str) -> Outcome<()> {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "-_.=".contains(letter);
    let begins = text.starts_with(|first: char| first.is_ascii_alphanumeric());
    if begins && text.chars().all(allowed) && text != "all" {
        return Ok(());
    }
    let fault: Fault = source.fault(offset, format!("`{text}` cannot be a name"));
    Err(fault.hint(
        "a name begins with a letter or digit and has letters, digits, -, _, . and = only; `all` means all tests",
    ))
}

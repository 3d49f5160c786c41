//! What a run can have several numbers of, and how names of tests end with them: `scan:r40k`, `scan:c4`, `scan:r40k:c4`.

use crate::Scale;

/// What a run can have several numbers of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Rows of a table.
    Rows,
    /// Clients of a subject.
    Clients,
}

impl Dimension {
    /// All, in the order in which names of tests have them.
    pub const ALL: [Self; 2] = [Self::Rows, Self::Clients];

    /// The key of `--scale`, which is the word of reports too.
    pub fn word(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Clients => "clients",
        }
    }

    /// The number that a scale has.
    pub fn of(self, scale: &Scale) -> u64 {
        match self {
            Self::Rows => scale.rows,
            Self::Clients => scale.clients.into(),
        }
    }

    /// Gives a scale another number.
    pub fn set(self, scale: &mut Scale, number: u64) {
        match self {
            Self::Rows => scale.rows = number,
            Self::Clients => scale.clients = u32::try_from(number).unwrap_or(u32::MAX),
        }
    }

    /// A number as `--scale` takes it, and as names and reports have it: `40k` rows, `16` clients.
    pub fn text(self, number: u64) -> String {
        match self {
            Self::Rows => count_text(number),
            Self::Clients => number.to_string(),
        }
    }

    /// What its numbers begin with in names of tests.
    fn mark(self) -> char {
        match self {
            Self::Rows => 'r',
            Self::Clients => 'c',
        }
    }

    /// A name of a test without its number, where it has one at the end.
    fn strip(self, name: &str) -> &str {
        let is_number = |end: &str| {
            let Some(number) = end.strip_prefix(self.mark()) else { return false };
            let digits = match self {
                Self::Rows => number.strip_suffix(['k', 'M']).unwrap_or(number),
                Self::Clients => number,
            };
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        name.rsplit_once(':').filter(|(_, end)| is_number(end)).map_or(name, |(own, _)| own)
    }
}

/// A count as `--scale` takes it, exactly: `40k`, `2M`, `1234`.
pub fn count_text(count: u64) -> String {
    const MILLION: u64 = 1_000_000;
    match count {
        1.. if count.is_multiple_of(MILLION) => format!("{}M", count / MILLION),
        1.. if count.is_multiple_of(1000) => format!("{}k", count / 1000),
        _ => count.to_string(),
    }
}

/// The numbers that a test has of its own, in a run at several of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Rows of a table.
    pub rows: Option<u64>,
    /// Clients of a subject.
    pub clients: Option<u32>,
}

impl Numbers {
    /// One of them.
    pub fn get(self, dimension: Dimension) -> Option<u64> {
        match dimension {
            Dimension::Rows => self.rows,
            Dimension::Clients => self.clients.map(u64::from),
        }
    }

    /// The same with another number of one.
    #[must_use]
    pub fn with(self, dimension: Dimension, number: Option<u64>) -> Self {
        match dimension {
            Dimension::Rows => Self { rows: number, ..self },
            Dimension::Clients => Self { clients: number.and_then(|number| number.try_into().ok()), ..self },
        }
    }

    /// The workload's name for a test of this name: `scan` of `scan:r40k:c4`.
    pub fn own_name(self, name: &str) -> &str {
        name.strip_suffix(self.suffix().as_str()).unwrap_or(name)
    }

    /// The name of a test without one of its numbers: `scan:c4` of `scan:r40k:c4`.
    pub fn name_without(self, name: &str, dimension: Dimension) -> String {
        format!("{}{}", self.own_name(name), self.with(dimension, None).suffix())
    }

    /// The end of the test's name.
    pub(crate) fn suffix(self) -> String {
        let part = |dimension: Dimension| {
            Some(format!(":{}{}", dimension.mark(), dimension.text(self.get(dimension)?)))
        };
        Dimension::ALL.into_iter().filter_map(part).collect()
    }
}

/// `scan` of `scan:r40k:c4`, where the numbers are not known otherwise.
pub fn without_numbers(name: &str) -> &str {
    Dimension::ALL.into_iter().rev().fold(name, |name, dimension| dimension.strip(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_known_by_the_ends_of_names() {
        let names =
            ["scan:c4", "scan:r40k:c4", "scan:r2M", "scan:r7", "scan", "scan:c", "scan:cold", "scan:rk"];
        let own = ["scan", "scan", "scan", "scan", "scan", "scan:c", "scan:cold", "scan:rk"];
        assert_eq!(names.map(without_numbers), own);
        assert_eq!(Numbers::default().own_name("scan:c4"), "scan:c4");
    }

    #[test]
    fn counts_are_told_exactly() {
        let counts = [40_000, 2_000_000, 1_500_000, 1234, 0];
        assert_eq!(counts.map(count_text), ["40k", "2M", "1500k", "1234", "0"]);
        assert_eq!([Dimension::Rows, Dimension::Clients].map(|one| one.text(2000)), ["2k", "2000"]);
    }
}

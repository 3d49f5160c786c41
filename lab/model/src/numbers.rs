//! Tests of a run at several numbers of rows or clients: each number is a test of its own. Each number of rows is a data set,
//! which has sessions of its own.

use crate::{Dimension, Numbers, Plan, Scale, SessionInfo, TestInfo};

impl TestInfo {
    /// The numbers that it has of its own.
    pub fn numbers(&self) -> Numbers {
        Numbers { rows: self.rows, clients: self.clients }
    }

    /// The test with that many rows or clients, beside the same test with others.
    #[must_use]
    pub fn with(&self, dimension: Dimension, number: u64) -> Self {
        let numbers = self.numbers().with(dimension, Some(number));
        let name = format!("{}{}", self.own_name(), numbers.suffix());
        Self { name, rows: numbers.rows, clients: numbers.clients, ..self.clone() }
    }

    /// The test at each of these numbers; once and as it is, if there are none, or if it has fewer clients than any of them.
    pub fn at_each(&self, dimension: Dimension, numbers: &[u64]) -> Vec<Self> {
        let most = match dimension {
            Dimension::Rows => None,
            Dimension::Clients => self.clients_at_most,
        };
        let within = numbers.iter().filter(|number| most.is_none_or(|most| **number <= u64::from(most)));
        let all: Vec<Self> = within.map(|number| self.with(dimension, *number)).collect();
        if all.is_empty() { vec![self.clone()] } else { all }
    }

    /// The workload's name for it.
    pub fn own_name(&self) -> &str {
        self.numbers().own_name(&self.name)
    }

    /// Clients that it has at a scale.
    pub fn clients_at(&self, scale: &Scale) -> u32 {
        self.clients.unwrap_or(scale.clients).min(self.clients_at_most.unwrap_or(u32::MAX))
    }

    /// Whether it runs on data of so many rows in a table.
    pub fn has_rows(&self, rows: u64) -> bool {
        self.rows.is_none_or(|own| own == rows)
    }
}

/// The data sets that tests need, as scales, the smallest first: one for each of their numbers of rows.
pub fn data_sets<'t>(tests: impl IntoIterator<Item = &'t TestInfo>, scale: &Scale) -> Vec<Scale> {
    let mut rows: Vec<u64> = tests.into_iter().filter_map(|test| test.rows).collect();
    rows.sort_unstable();
    rows.dedup();
    if rows.is_empty() {
        return vec![scale.clone()];
    }
    rows.into_iter().map(|rows| Scale { rows, ..scale.clone() }).collect()
}

impl Plan {
    /// The scale of a test: the plan's, with the rows and the clients of the test.
    pub fn scale_of(&self, test: &TestInfo) -> Scale {
        let rows = test.rows.unwrap_or(self.scale.rows);
        Scale { rows, clients: self.clients_of(test), ..self.scale.clone() }
    }

    /// The scale of a session's data: the plan's, with the rows of the session's tests, which are the same for all.
    pub fn scale_of_session(&self, session: &SessionInfo) -> Scale {
        let of = |name: &String| self.tests.iter().find(|test| test.name == *name);
        let rows = session.tests.first().and_then(of).and_then(|test| test.rows);
        Scale { rows: rows.unwrap_or(self.scale.rows), ..self.scale.clone() }
    }

    /// The data sets of the run, as scales, the smallest first.
    pub fn data_sets(&self) -> Vec<Scale> {
        data_sets(&self.tests, &self.scale)
    }

    /// Most sessions of the run, those of all data sets together, the slice check left out.
    pub fn sessions_max(&self) -> u32 {
        self.design.sessions_max() * self.data_sets().len() as u32
    }

    /// Clients of a test.
    pub fn clients_of(&self, test: &TestInfo) -> u32 {
        test.clients_at(&self.scale)
    }

    /// The numbers of rows or clients that the run has, in the order in which they were given.
    pub fn numbers(&self, dimension: Dimension) -> Vec<u64> {
        let asked = |test: &TestInfo| test.numbers().get(dimension).unwrap_or(dimension.of(&self.scale));
        let follows = |test: &&TestInfo| dimension != Dimension::Clients || test.clients_at_most.is_none();
        let numbers = distinct(self.tests.iter().filter(follows).map(asked));
        // As the scale says, which every test may fall short of.
        if numbers.is_empty() { distinct(self.tests.iter().map(asked)) } else { numbers }
    }

    /// The scale as `--scale` takes it.
    pub fn scale_typed(&self) -> String {
        Dimension::ALL.into_iter().fold(self.scale.to_string(), |typed, dimension| {
            let numbers = self.numbers(dimension);
            let word = dimension.word();
            match numbers.len() {
                0 | 1 => typed,
                _ => {
                    let all: Vec<String> = numbers.iter().map(|number| dimension.text(*number)).collect();
                    let largest = format!("{word}={}", dimension.of(&self.scale));
                    typed.replace(&largest, &format!("{word}={}", all.join(",")))
                }
            }
        })
    }

    /// The tests as `--tests` takes them.
    pub fn tests_typed(&self) -> Vec<String> {
        distinct(self.tests.iter().map(|test| test.own_name().to_owned()))
    }
}

/// Each value once, where it comes first.
pub fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    values.fold(Vec::new(), |mut found, value| {
        if !found.contains(&value) {
            found.push(value);
        }
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan() -> TestInfo {
        TestInfo { name: "scan".into(), ..TestInfo::default() }
    }

    #[test]
    fn a_test_has_a_name_for_each_number() {
        let four = scan().with(Dimension::Clients, 4);
        assert_eq!((four.name.as_str(), four.own_name(), four.clients), ("scan:c4", "scan", Some(4)));
        assert_eq!(four.with(Dimension::Clients, 16).name, "scan:c16");
        let both = four.with(Dimension::Rows, 40_000);
        assert_eq!((both.name.as_str(), both.own_name(), both.rows), ("scan:r40k:c4", "scan", Some(40_000)));
        let without = Dimension::ALL.map(|dimension| both.numbers().name_without(&both.name, dimension));
        assert_eq!(without, ["scan:c4", "scan:r40k"]);
    }

    #[test]
    fn a_test_of_one_client_is_there_once() {
        let fill = TestInfo { clients_at_most: Some(1), ..scan() };
        let names = |dimension, numbers: &[u64]| -> Vec<String> {
            fill.at_each(dimension, numbers).into_iter().map(|test| test.name).collect()
        };
        assert_eq!(names(Dimension::Clients, &[4, 16]), ["scan"]);
        assert_eq!(names(Dimension::Clients, &[1, 4]), ["scan:c1"]);
        assert_eq!(names(Dimension::Rows, &[4, 16]), ["scan:r4", "scan:r16"]);
        assert_eq!(names(Dimension::Rows, &[]), ["scan"]);
    }

    #[test]
    fn each_number_of_rows_is_a_data_set() {
        let scale = Scale { rows: 9, clients: 3, ..Scale::default() };
        assert_eq!(data_sets(&[scan()], &scale), std::slice::from_ref(&scale));
        let tests: Vec<TestInfo> = [9, 4, 9].map(|rows| scan().with(Dimension::Rows, rows)).to_vec();
        let found = data_sets(&tests, &scale);
        assert_eq!(found, [Scale { rows: 4, ..scale.clone() }, scale]);
        assert!(tests[0].has_rows(9) && !tests[0].has_rows(4) && scan().has_rows(4));
    }
}

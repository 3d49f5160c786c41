//! Tests of a run at several numbers of clients: each number is a test of its own, whose name ends with it (`scan:c4`).

use crate::{Plan, Scale, TestInfo};

impl TestInfo {
    /// The test with that many clients, beside the same test with others.
    #[must_use]
    pub fn with_clients(&self, clients: u32) -> Self {
        let name = format!("{}{}", self.own_name(), suffix(clients));
        Self { name, clients: Some(clients), ..self.clone() }
    }

    /// The test at each number of clients; once and as it is, if it has fewer clients than any of them.
    pub fn at_each(&self, numbers: &[u32]) -> Vec<Self> {
        let most = self.clients_at_most.unwrap_or(u32::MAX);
        let within = numbers.iter().filter(|clients| **clients <= most);
        let all: Vec<Self> = within.map(|clients| self.with_clients(*clients)).collect();
        if all.is_empty() { vec![self.clone()] } else { all }
    }

    /// The workload's name for it.
    pub fn own_name(&self) -> &str {
        own_name(&self.name, self.clients)
    }
}

/// The name of a test without the clients that it has in a run at several numbers of clients.
pub fn own_name(name: &str, clients: Option<u32>) -> &str {
    clients.and_then(|clients| name.strip_suffix(suffix(clients).as_str())).unwrap_or(name)
}

fn suffix(clients: u32) -> String {
    format!(":c{clients}")
}

impl Plan {
    /// The scale of a test: the plan's, with the clients of the test.
    pub fn scale_of(&self, test: &TestInfo) -> Scale {
        Scale { clients: self.clients_of(test), ..self.scale.clone() }
    }

    /// Clients of a test.
    pub fn clients_of(&self, test: &TestInfo) -> u32 {
        self.clients_asked(test).min(test.clients_at_most.unwrap_or(u32::MAX))
    }

    /// Clients that the scale asks for.
    fn clients_asked(&self, test: &TestInfo) -> u32 {
        test.clients.unwrap_or(self.scale.clients)
    }

    /// The numbers of clients that the scale has, in the order in which they were given.
    pub fn client_numbers(&self) -> Vec<u32> {
        let all = |limited: bool| {
            let tests = self.tests.iter().filter(move |test| limited || test.clients_at_most.is_none());
            distinct(tests.map(|test| self.clients_asked(test)))
        };
        let numbers = all(false);
        if numbers.is_empty() { all(true) } else { numbers }
    }

    /// The scale as `--scale` takes it.
    pub fn scale_typed(&self) -> String {
        let numbers: Vec<String> = self.client_numbers().iter().map(u32::to_string).collect();
        let Scale { clients, .. } = self.scale;
        let one = format!("clients={clients}");
        match numbers.len() {
            0 | 1 => self.scale.to_string(),
            _ => self.scale.to_string().replace(&one, &format!("clients={}", numbers.join(","))),
        }
    }

    /// The tests as `--tests` takes them.
    pub fn tests_typed(&self) -> Vec<String> {
        distinct(self.tests.iter().map(|test| test.own_name().to_owned()))
    }
}

/// Each value once, where it comes first.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
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

    #[test]
    fn a_test_has_a_name_for_each_number_of_clients() {
        let scan = TestInfo { name: "scan".into(), ..TestInfo::default() };
        let four = scan.with_clients(4);
        assert_eq!((four.name.as_str(), four.own_name(), four.clients), ("scan:c4", "scan", Some(4)));
        assert_eq!(four.with_clients(16).name, "scan:c16");
        assert_eq!((scan.own_name(), own_name("scan:c4", None)), ("scan", "scan:c4"));
    }

    #[test]
    fn a_test_of_one_client_is_there_once() {
        let fill = TestInfo { name: "fill".into(), clients_at_most: Some(1), ..TestInfo::default() };
        assert_eq!(fill.at_each(&[4, 16]), vec![fill.clone()]);
        let names: Vec<String> = fill.at_each(&[1, 4]).into_iter().map(|test| test.name).collect();
        assert_eq!(names, ["fill:c1"]);
    }
}

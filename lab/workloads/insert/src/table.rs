//! The table of steps, in the reference's order.

use humdrum_contract::{Counts, Outcome, StepWork};
use humdrum_model::{Fault, Phase, Scale, TestInfo};

use crate::sizes::Sizes;

/// The group of the steps that load.
pub(crate) const BULK: &str = "load";

/// The step after which engines do their housekeeping.
pub(crate) const LAST_BULK: &str = "l.i2";

/// Statements of a client's writers between two look-ups of its queue's least id.
const LOOK_UP_EVERY: u64 = 1000;

/// Rows of the batch that the reference inserts before it builds indexes.
pub(crate) const BATCH: u64 = 100;

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Inserts, without secondary indexes.
    Fill,
    /// Builds the secondary indexes.
    Index,
    /// Inserts at one end and deletes at the other.
    Churn,
    /// Covering index queries beside writers.
    Ranges,
    /// Queries by lists of ids, beside writers.
    Points,
}

/// One step.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) rows_per_statement: u64,
    /// Pace of the writers beside queries.
    pub(crate) rows_per_second: u64,
    operation: &'static str,
}

const fn queries(name: &'static str, kind: Kind, rows_per_second: u64, operation: &'static str) -> Step {
    Step { name, kind, rows_per_statement: 50, rows_per_second, operation }
}

/// All steps.
pub(crate) const TABLE: [Step; 10] = [
    Step {
        name: "l.i0",
        kind: Kind::Fill,
        rows_per_statement: 100,
        rows_per_second: 0,
        operation: "one row inserted by a statement of 100, no secondary indexes",
    },
    Step {
        name: "l.x",
        kind: Kind::Index,
        rows_per_statement: 0,
        rows_per_second: 0,
        operation: "one row put into three new secondary indexes",
    },
    Step {
        name: "l.i1",
        kind: Kind::Churn,
        rows_per_statement: 50,
        rows_per_second: 0,
        operation: "one row inserted by a statement of 50, while statements of 50 delete as many of the oldest rows",
    },
    Step {
        name: LAST_BULK,
        kind: Kind::Churn,
        rows_per_statement: 5,
        rows_per_second: 0,
        operation: "one row inserted by a statement of 5, while statements of 5 delete as many of the oldest rows",
    },
    queries(
        "qr100",
        Kind::Ranges,
        100,
        "one covering index query, LIMIT 10, beside 100 inserts and deletes/s",
    ),
    queries(
        "qp100",
        Kind::Points,
        100,
        "one query of 10 ids by primary key, beside 100 inserts and deletes/s",
    ),
    queries(
        "qr500",
        Kind::Ranges,
        500,
        "one covering index query, LIMIT 10, beside 500 inserts and deletes/s",
    ),
    queries(
        "qp500",
        Kind::Points,
        500,
        "one query of 10 ids by primary key, beside 500 inserts and deletes/s",
    ),
    queries(
        "qr1000",
        Kind::Ranges,
        1000,
        "one covering index query, LIMIT 10, beside 1000 inserts and deletes/s",
    ),
    queries(
        "qp1000",
        Kind::Points,
        1000,
        "one query of 10 ids by primary key, beside 1000 inserts and deletes/s",
    ),
];

/// The step of that name.
pub(crate) fn step(name: &str) -> Outcome<&'static Step> {
    TABLE
        .iter()
        .find(|step| step.name == name)
        .ok_or_else(|| Fault::usage(format!("no step `{name}` in the insert suite")))
}

impl Step {
    pub(crate) fn info(&self, compat: bool) -> TestInfo {
        let group = match self.kind {
            Kind::Fill | Kind::Index | Kind::Churn => BULK,
            Kind::Ranges => "range",
            Kind::Points => "point",
        };
        let bursts = compat && self.rows_per_second > 0;
        let how = if bursts { " in bursts at the second, without catching up" } else { "" };
        TestInfo {
            name: self.name.into(),
            group: group.into(),
            operation: format!("{}{how}", self.operation),
            statements: 1,
            writes: true,
            long: true,
            phase: Phase::Write,
            ..TestInfo::default()
        }
    }

    /// Rows that the step inserts into each table.
    pub(crate) fn rows(&self, scale: &Scale, compat: bool) -> u64 {
        let sizes = Sizes::of(scale);
        match self.kind {
            Kind::Fill => sizes.x,
            Kind::Index => {
                if compat {
                    BATCH * sizes.sharing
                } else {
                    0
                }
            }
            Kind::Churn if self.name == LAST_BULK => sizes.z,
            Kind::Churn => sizes.y,
            Kind::Ranges | Kind::Points => sizes.seconds * self.rows_per_second * sizes.sharing,
        }
    }

    pub(crate) fn deletes(&self) -> bool {
        matches!(self.kind, Kind::Churn | Kind::Ranges | Kind::Points)
    }

    /// The work of the step.
    pub(crate) fn work(&self, scale: &Scale, compat: bool) -> Outcome<StepWork> {
        let sizes = Sizes::of(scale);
        let paced = self.rows_per_second > 0;
        let work = StepWork {
            counts: if paced { Counts::Queries } else { Counts::Rows },
            statements: self.statements(scale),
            rows_per_statement: self.rows_per_statement,
            rows_per_second: paced.then_some(self.rows_per_second),
            chunked: true,
            look_up_every: LOOK_UP_EVERY,
            bursts: compat,
        };
        // One statement for each table, from the first of the clients that share it.
        let index = StepWork { statements: 1, rows_per_statement: sizes.x, chunked: false, ..work };
        Ok(if self.kind == Kind::Index { index } else { work })
    }

    /// Inserting statements of each client.
    pub(crate) fn statements(&self, scale: &Scale) -> u64 {
        match self.rows_per_statement {
            0 => 1,
            rows => self.rows(scale, false) / rows / Sizes::of(scale).sharing,
        }
    }

    /// Number of the step's first row among all rows of a client. It is the same even if earlier steps are left out.
    pub(crate) fn first_row(&self, scale: &Scale) -> u64 {
        let earlier = TABLE.iter().take_while(|step| step.name != self.name);
        let sharing = Sizes::of(scale).sharing;
        earlier.map(|step| step.rows(scale, true) / sharing).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::scales;

    #[test]
    fn the_reference_steps_in_its_order() {
        let names: Vec<&str> = TABLE.iter().map(|step| step.name).collect();
        assert_eq!(names.join(" "), "l.i0 l.x l.i1 l.i2 qr100 qp100 qr500 qp500 qr1000 qp1000");
        let per_statement: Vec<u64> = TABLE.iter().map(|step| step.rows_per_statement).collect();
        assert_eq!(per_statement, [100, 0, 50, 5, 50, 50, 50, 50, 50, 50]);
        assert!(
            TABLE
                .iter()
                .all(|step| step.rows_per_second == 0
                    || step.name.ends_with(&step.rows_per_second.to_string()))
        );
    }

    #[test]
    fn work_is_the_same_whatever_is_left_out_and_paced_steps_last_their_seconds() {
        let mut scale = scales().remove(0);
        let (x, y) = (scale.rows, scale.more["y"]);
        assert_eq!(step("l.i2").expect("a step").first_row(&scale), x + BATCH + y);
        let work = step("qr1000").expect("a step").work(&scale, false).expect("work");
        assert_eq!(work.statements * 50, scale.more["seconds"] * 1000);
        // Four clients that share a table do a quarter each of the bulk, and all of the pace.
        scale.clients = 4;
        assert_eq!(step("l.i0").expect("a step").statements(&scale) * 4 * 100, x);
        assert_eq!(step("qr1000").expect("a step").work(&scale, false).expect("work"), work);
    }
}

//! What is refused before shards are put together: records that are no shards, and shards of different plans, builds or metrics.

use humdrum_model::{Design, Fault, Plan, Results, Shard, ShardRecord, Timings, delay_text, memory_text};

/// A part of a plan by its name, and how it is shown.
type Facet = (&'static str, fn(&Plan) -> String);

/// Refuses a record that cannot be a shard.
pub(super) fn check(shard: &ShardRecord) -> Result<(), Fault> {
    let (named, record) = (&shard.named, &shard.record);
    let Some(Shard { number, of, .. }) = record.plan.shard else {
        return Err(Fault::usage(format!("{named} has results of a whole plan and no shard"))
            .hint("`humdrum report A B` puts whole runs side by side; `--shard 1/4` measures a shard"));
    };
    let damaged = |what: String| {
        Err(Fault::usage(format!("{named} is damaged: {what}"))
            .hint("restore it from a copy, or measure the shard again to another folder"))
    };
    if !(1..=of).contains(&number) {
        return damaged(format!("it says that it is shard {number} of {of}"));
    }
    if humantime::parse_rfc3339(&record.started).is_err() {
        return damaged(format!("it says that it began at `{}`, which is no time", record.started));
    }
    Ok(())
}

/// Refuses shards that are not of one plan and the same builds. What most of them agree on is right, so that the message names the
/// odd one.
pub(super) fn all(shards: &[ShardRecord]) -> Result<(), Fault> {
    let sides: Vec<Side<'_>> = shards.iter().map(Side::of).collect();
    let [first, rest @ ..] = &sides[..] else {
        return Err(Fault::usage("there are no shards to merge").hint("name the results folders of shards"));
    };
    if rest.iter().all(|other| first.difference(other).is_none()) {
        return Ok(());
    }
    let fellows = |one: &Side<'_>| sides.iter().filter(|other| one.difference(other).is_none()).count();
    // The first of those with most fellows.
    let (usual, count) = sides
        .iter()
        .map(|one| (one, fellows(one)))
        .fold((first, 0), |best, one| if one.1 > best.1 { one } else { best });
    let odd = sides.iter().find_map(|one| Some((one, usual.difference(one)?)));
    odd.map_or(Ok(()), |(odd, difference)| Err(refusal(usual, count, odd, &difference)))
}

fn refusal(usual: &Side<'_>, count: usize, odd: &Side<'_>, difference: &Difference) -> Fault {
    let others = if count > 2 { format!(" and {} others", count - 1) } else { String::new() };
    let Difference { what, values } = difference;
    let values = values
        .as_ref()
        .map_or_else(String::new, |[usual, odd]| format!(" ({} here, {} there)", short(odd), short(usual)));
    let what = format!(
        "{} is not of one plan with {}{others}: {what} differ{values}",
        odd.shard.named, usual.shard.named
    );
    let hint = format!(
        "leave {} out, or measure it again with the same command, version and builds, and only --shard different",
        odd.shard.named
    );
    Fault::usage(what).hint(hint)
}

/// A value that fits into a message.
fn short(value: &str) -> String {
    const SIGNS: usize = 160;
    match value.char_indices().nth(SIGNS) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}

/// What differs, and the values where they can be told.
struct Difference {
    what: &'static str,
    values: Option<[String; 2]>,
}

/// A shard, and its plan as it is the same for all shards. Timings are of the host and do not count.
struct Side<'s> {
    shard: &'s ShardRecord,
    plan: Plan,
}

impl<'s> Side<'s> {
    fn of(shard: &'s ShardRecord) -> Self {
        let plan = shard.record.plan.whole();
        let design = Design { timings: Timings::NONE, incomplete: None, ..plan.design.clone() };
        Self { shard, plan: Plan { design, ..plan } }
    }

    fn difference(&self, other: &Self) -> Option<Difference> {
        self.of_plans(other).or_else(|| of_records(&self.shard.record, &other.shard.record, &self.plan))
    }

    fn of_plans(&self, other: &Self) -> Option<Difference> {
        let of = |side: &Self| side.shard.record.plan.shard.map_or(0, |shard| shard.of);
        if of(self) == of(other) && self.plan == other.plan {
            return None;
        }
        let facets: [Facet; 9] = [
            ("the suites", |plan| {
                let files =
                    plan.suite_sha256.as_ref().map_or_else(String::new, |sum| format!(", files {sum}"));
                format!("{}{files}", plan.suite)
            }),
            ("the subjects", |plan| {
                plan.subjects.iter().map(humdrum_model::Subject::typed).collect::<Vec<_>>().join(" ")
            }),
            ("the tests", |plan| {
                plan.tests.iter().map(|test| test.name.as_str()).collect::<Vec<_>>().join(",")
            }),
            ("the scales", |plan| plan.scale.to_string()),
            ("the modes", |plan| plan.mode.word().to_owned()),
            ("the seeds", |plan| plan.seed.to_string()),
            ("the budgets", |plan| format!("{} s", plan.budget_seconds)),
            ("the delays of fsync", |plan| plan.fsync_delay_us.map_or_else(|| "none".into(), delay_text)),
            ("the memory limits", |plan| plan.memory_bytes.map_or_else(|| "none".into(), memory_text)),
        ];
        let numbers = [of(self), of(other)].map(|of| of.to_string());
        let counts = (numbers[0] != numbers[1])
            .then_some(Difference { what: "the numbers of shards", values: Some(numbers) });
        let told = || {
            facets.into_iter().find_map(|(what, text)| {
                let values = [text(&self.plan), text(&other.plan)];
                (values[0] != values[1]).then_some(Difference { what, values: Some(values) })
            })
        };
        let rest = || {
            let [one, two] = [&self.plan.design, &other.plan.design];
            let what = if one == two { "other options" } else { "the designs" };
            let sessions = [one, two].map(|design| format!("{} sessions", design.sessions_max()));
            let values = (sessions[0] != sessions[1]).then_some(sessions);
            Difference { what, values }
        };
        counts.or_else(told).or_else(|| Some(rest()))
    }
}

/// What differs in what the runs found: the programs, and the quantities that were read. A run that ended before its servers were
/// up found neither.
fn of_records(one: &Results, two: &Results, plan: &Plan) -> Option<Difference> {
    for (subject, (ours, theirs)) in plan.subjects.iter().zip(one.subjects.iter().zip(&two.subjects)) {
        if let Some(values) = ours.other_program(theirs, &subject.place) {
            let values = values.map(|value| format!("{}: {value}", subject.label));
            return Some(Difference { what: "the builds", values: Some(values) });
        }
    }
    let know_metrics = !one.metrics.is_empty() && !two.metrics.is_empty();
    (know_metrics && one.metrics != two.metrics)
        .then_some(Difference { what: "the quantities that were read", values: None })
}

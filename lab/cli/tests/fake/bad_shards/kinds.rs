//! The table: what is merged, and what is said of it.

use std::fs;

use super::make::*;
use crate::common::Humdrum;

/// A kind of input.
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// Makes it, in the folder of three good shards `s1`, `s2`, `s3`.
    pub(super) make: fn(&Humdrum),
    pub(super) merged: &'static [&'static str],
    /// 2: refused. Else the exit code of a merge, whose summary has the phrases as warnings.
    pub(super) code: i32,
    pub(super) says: &'static [&'static str],
    pub(super) hint: &'static str,
}

const ODD: &[&str] = &["s1", "odd", "s3"];

pub(super) const REFUSED: [Kind; 24] = [
    refused(
        "a whole run",
        whole,
        ODD,
        &["odd has results of a whole plan"],
        "`--shard 1/4` measures a shard",
    ),
    refused(
        "another plan",
        other_seed,
        ODD,
        &["odd is not of one plan with s1", "seeds differ (9 here, 1 there)"],
        "leave odd out",
    ),
    refused(
        "another plan with the number of a shard that is there",
        other_seed,
        &["s1", "s2", "s3", "odd"],
        &["odd is not of one plan with s1 and 2 others", "seeds differ"],
        "leave odd out",
    ),
    refused(
        "another plan, named first and with more blocks",
        |at| {
            other_seed(at);
            sql(at, "odd", "INSERT INTO block (id, test, session, \"index\") VALUES (99999, 'scan', 9, 0)");
        },
        &["odd", "s1", "s2", "s3"],
        &["odd is not of one plan with s1 and 2 others"],
        "leave odd out",
    ),
    refused(
        "other subjects",
        other_subjects,
        ODD,
        &["odd is not", "subjects differ", "slowdown=9%"],
        "only --shard different",
    ),
    refused(
        "another number of shards",
        |at| odd(at, SET_OF),
        ODD,
        &["odd is not", "(4 here, 3 there)"],
        "leave odd out",
    ),
    refused(
        "another version",
        |at| odd(at, "UPDATE subject SET version = '9'"),
        ODD,
        &["odd", "builds differ (a: 9 here"],
        "same command, version and builds",
    ),
    refused(
        "another build of the version",
        |at| odd(at, "UPDATE subject SET origin = 'sha256 12'"),
        ODD,
        &["odd", "a: sha256 12 here"],
        "leave odd out",
    ),
    refused(
        "other readings",
        |at| odd(at, "UPDATE metric SET unit = 'x' WHERE position = 0"),
        ODD,
        &["odd", "quantities that were read differ"],
        "leave odd out",
    ),
    refused(
        "a number out of range",
        |at| odd(at, SET_NUMBER),
        ODD,
        &["odd is damaged", "shard 9 of 3"],
        "measure the shard again",
    ),
    refused(
        "a start that is no time",
        |at| odd(at, "UPDATE meta SET value = 'yesterday' WHERE key = 'started'"),
        ODD,
        &["odd is damaged", "`yesterday`"],
        "restore it from a copy",
    ),
    refused("no folder", |_| {}, ODD, &["no results at odd"], "give the results folder"),
    refused(
        "an empty folder",
        |at| fs::create_dir(at.path("odd")).expect("made"),
        ODD,
        &["no results at odd"],
        "give the results folder",
    ),
    refused(
        "an empty file",
        |at| file(at, b""),
        ODD,
        &["odd/results.sqlite is not a results file"],
        "name the results.sqlite",
    ),
    refused(
        "a text",
        |at| file(at, &[b'x'; 5000]),
        ODD,
        &["odd/results.sqlite is not a results file"],
        "name the results.sqlite",
    ),
    refused(
        "another program's database",
        other_program,
        ODD,
        &["odd/results.sqlite is not a results file"],
        "name the results.sqlite",
    ),
    refused(
        "a newer schema",
        |at| odd(at, "PRAGMA user_version = 99"),
        ODD,
        &["odd/results.sqlite was made by a newer humdrum"],
        "bring this one up to date",
    ),
    refused(
        "a newer schema that calls itself older",
        |at| odd(at, "PRAGMA user_version = 9"),
        ODD,
        &["odd/results.sqlite says that it is of schema 9"],
        "measure it again",
    ),
    refused(
        "cut off in the middle",
        cut_off,
        ODD,
        &["odd/results.sqlite is damaged"],
        "restore it from a copy",
    ),
    refused(
        "damaged among its blocks",
        damaged_blocks,
        ODD,
        &["odd/results.sqlite is damaged"],
        "restore it from a copy",
    ),
    refused(
        "a damaged plan",
        |at| odd(at, "UPDATE meta SET value = '{' WHERE key = 'plan'"),
        ODD,
        &["odd/results.sqlite is damaged"],
        "restore it from a copy",
    ),
    refused(
        "merged results without a shard",
        |at| part_of_merged(at, "shards/2"),
        &["odd", "s3"],
        &["odd/shards/2/results.sqlite is missing"],
        "copy the whole folder",
    ),
    refused(
        "merged results without a host",
        |at| part_of_merged(at, "runs/2"),
        &["odd", "s3"],
        &["odd/runs/2 is missing"],
        "copy the whole folder",
    ),
    refused(
        "merged results without hosts",
        |at| part_of_merged(at, "runs"),
        &["odd", "s3"],
        &["odd/runs/2 is missing"],
        "copy the whole folder",
    ),
];

pub(super) const ACCEPTED: [Kind; 12] = [
    accepted("a shard is missing", |_| {}, &["s1", "s3"], &["2 of 3 shards are here; missing: 2"]),
    accepted(
        "measured twice",
        again,
        ALL,
        &["shard 2 was measured 2 times", "the one begun at 2026-01-01T00:00:00Z counts"],
    ),
    accepted("a copy", |at| copy(at, "s2"), ALL, &[]),
    accepted(
        "a copy that was changed",
        |at| odd(at, "UPDATE slice SET wall_ns = 2 * wall_ns"),
        ALL,
        &["shard 2: 2 records of the measurement begun at"],
    ),
    accepted(
        "an extended shard",
        extended,
        ODD,
        &["shard 2 was measured 2 times, further runs of it included"],
    ),
    accepted(
        "not finished",
        |at| odd(at, "DELETE FROM meta WHERE key = 'finished'"),
        ODD,
        &["shard 2 did not come to its end"],
    ),
    accepted(
        "killed, and copied without its log",
        without_log,
        ODD,
        &["shard 2 did not come to its end", "results.sqlite-wal belongs to it"],
    ),
    accepted("nothing measured yet", unbegun, ODD, &["shard 2 has measured nothing yet"]),
    accepted(
        "a clock that was set back",
        |at| odd(at, "UPDATE meta SET value = '1970-01-01T00:00:00Z' WHERE key = 'started'"),
        ODD,
        &["shard 2 says that it began at 1970", "clock of its host was wrong"],
    ),
    accepted(
        "a clock that was set back, measured twice",
        |at| odd(at, "UPDATE meta SET value = '1970-01-01T00:00:00Z' WHERE key = 'started'"),
        ALL,
        &["shard 2 was measured 2 times", "the one begun at 20"],
    ),
    accepted(
        "one host id with two processors",
        |at| odd(at, SET_PROCESSOR),
        ODD,
        &["has 2 processor models", "shards 2 on Another"],
    ),
    accepted("an older schema", |at| odd(at, "DROP TABLE plan_run; PRAGMA user_version = 9"), ODD, &[]),
];

const ALL: &[&str] = &["s1", "s2", "s3", "odd"];
const fn refused(
    name: &'static str,
    make: fn(&Humdrum),
    merged: &'static [&'static str],
    says: &'static [&'static str],
    hint: &'static str,
) -> Kind {
    Kind { name, make, merged, code: 2, says, hint }
}

const fn accepted(
    name: &'static str,
    make: fn(&Humdrum),
    merged: &'static [&'static str],
    says: &'static [&'static str],
) -> Kind {
    Kind { name, make, merged, code: 1, says, hint: "" }
}

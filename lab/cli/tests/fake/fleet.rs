//! `humdrum fleet` on the fake engine, with programs in the place of Slurm's that note how they were called.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Output;

use humdrum_model::Results;
use humdrum_record::Store;

use crate::common::{Humdrum, field, text_of};

/// Of both kinds of fleets: a slowdown that nine sessions find.
pub(crate) const PLAN: &str = "\
subjects = [
    \"a=fake@1.0+noise=5%+session_noise=0.3%\",
    \"b=fake@1.0+noise=5%+session_noise=0.3%+slowdown=3%\",
]
tests = [\"scan\"]
scale = \"tiny\"
sessions = 9
budget = \"60s\"
";

/// A folder with a plan, and Slurm's programs.
fn here() -> Humdrum {
    let humdrum = Humdrum::new();
    fs::write(humdrum.path("plan.toml"), PLAN).expect("written");
    fs::create_dir(humdrum.path("bin")).expect("made");
    let bin = humdrum.path("bin").display().to_string();
    // Ids count up from 41.
    let sbatch = format!(
        "#!/bin/sh\necho \"$@\" >> {bin}/calls\nif [ -e {bin}/refuse ]; then echo no such partition >&2; exit 1; fi\n\
         expr 40 + $(wc -l < {bin}/calls)\n"
    );
    program(&humdrum, "sbatch", &sbatch);
    program(&humdrum, "scancel", &format!("#!/bin/sh\necho scancel \"$@\" >> {bin}/calls\n"));
    let squeue = format!(
        "#!/bin/sh\ncase $* in *'--jobs 42') cat {bin}/merge ;; *) echo '2|RUNNING|node7|None'; echo '3|PENDING||Resources' ;; esac\n"
    );
    program(&humdrum, "squeue", &squeue);
    fs::write(humdrum.path("bin/merge"), "PENDING||Dependency\n").expect("written");
    humdrum
}

fn program(humdrum: &Humdrum, name: &str, text: &str) {
    let path = humdrum.path("bin").join(name);
    fs::write(&path, text).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("set");
}

fn run(humdrum: &Humdrum, args: &[&str]) -> Output {
    let path = format!("{}:/usr/bin:/bin", humdrum.path("bin").display());
    humdrum.private(&[args, &["--quiet"]].concat()).env("PATH", path).output().expect("humdrum starts")
}

fn exits(humdrum: &Humdrum, code: i32, args: &[&str]) -> String {
    let output = run(humdrum, args);
    let (told, complaint) = (text_of(&output.stdout), text_of(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{args:?}: {told}{complaint}");
    if code == 2 { complaint } else { told }
}

const SUBMIT: [&str; 6] = ["fleet", "slurm", "plan.toml", "--hosts", "3", "--out"];

fn submit(humdrum: &Humdrum, code: i32, out: &str, more: &[&str]) -> String {
    exits(humdrum, code, &[&SUBMIT[..], &[out], more].concat())
}

fn calls(humdrum: &Humdrum) -> String {
    fs::read_to_string(humdrum.path("bin/calls")).unwrap_or_default()
}

#[test]
fn shards_are_submitted_measured_and_fetched() {
    let humdrum = here();
    let told = submit(&humdrum, 0, "f", &["--partition", "bench"]);
    for expected in
        ["job 41 measures 3 shards, on 3 hosts at a time; job 42 puts them together", "scancel 41 42"]
    {
        assert!(told.contains(expected), "{told}");
    }
    let folder = humdrum.path("f").display().to_string();
    let expected =
        format!("--parsable {folder}/shard.sh\n--parsable --dependency=afterany:41 {folder}/merge.sh\n");
    assert_eq!(calls(&humdrum), expected);
    assert!(fs::read_to_string(humdrum.path("f/shard.sh")).expect("read").contains("--partition=bench\n"));

    assert!(exits(&humdrum, 2, &["fleet", "fetch", "f"]).contains("no shard of f has begun"));
    exits(&humdrum, 0, &["fleet", "shard", "f", "1"]);
    let told = exits(&humdrum, 0, &["fleet", "status", "f"]);
    for expected in [
        "shard 1    finished   3 of 3 sessions",
        "shard 2    not begun                       RUNNING on node7",
        "shard 3    not begun                       PENDING (Resources)",
        "merge      PENDING (Dependency)",
        "1 of 3 shards are finished",
    ] {
        assert!(told.contains(expected), "{told}");
    }
    fs::write(humdrum.path("bin/merge"), "FAILED|node7|NonZeroExitCode\n").expect("written");
    let told = exits(&humdrum, 0, &["fleet", "status", "f"]);
    let expected = "merge      FAILED on node7: see f/logs/merge.log; `humdrum fleet fetch f` does the same";
    assert!(told.contains(expected), "{told}");
    // Slurm forgets a job some minutes after its end.
    fs::write(humdrum.path("bin/merge"), "").expect("written");
    assert!(!exits(&humdrum, 0, &["fleet", "status", "f"]).contains("merge "));
    // What there is can be looked at before the end, and again after it.
    exits(&humdrum, 1, &["fleet", "fetch", "f", "--out", "early"]);
    exits(&humdrum, 1, &["fleet", "fetch", "f"]);
    for number in ["2", "3"] {
        exits(&humdrum, 0, &["fleet", "shard", "f", number]);
    }
    exits(&humdrum, 1, &["fleet", "fetch", "f"]);
    let summary = humdrum.summary("f/merged");
    assert!(field(&summary, "sessions").iter().all(|(_, sessions)| sessions == 9), "{summary:#}");
    assert!(!humdrum.path("f/merged.earlier").exists());
    assert!(exits(&humdrum, 0, &["fleet", "status", "f"]).contains("merged: f/merged/report.html"));
    exits(&humdrum, 1, &["merge", "f/shards/3", "f/shards/1", "f/shards/2", "-o", "by-hand"]);
    let bytes = |out: &str| fs::read(humdrum.path(out).join("summary.json")).expect("read");
    assert!(bytes("f/merged") == bytes("by-hand"));
}

#[test]
fn a_task_that_is_started_again_goes_on_where_it_was() {
    let humdrum = here();
    submit(&humdrum, 0, "f", &[]);
    exits(&humdrum, 0, &["fleet", "shard", "f", "1"]);
    let whole = humdrum.results("f/shards/1");
    let file = humdrum.path("f/shards/1/results.sqlite");

    // Finished: nothing is measured.
    exits(&humdrum, 0, &["fleet", "shard", "f", "1"]);
    assert_eq!(humdrum.results("f/shards/1"), whole);

    // Killed in its last session.
    let mut cut = Results { finished: false, ..whole.clone() };
    cut.blocks.truncate(whole.blocks.len() - 5);
    cut.latencies.clear();
    fs::remove_file(&file).expect("removed");
    drop(Store::create(&file, &cut).expect("written"));
    exits(&humdrum, 0, &["fleet", "shard", "f", "1"]);
    let resumed = humdrum.results("f/shards/1");
    assert!(resumed.finished && resumed.sessions == whole.sessions);
    assert_eq!(resumed.blocks.len(), whole.blocks.len());

    // Killed before it had a plan.
    fs::write(&file, "").expect("written");
    exits(&humdrum, 0, &["fleet", "shard", "f", "1"]);
    assert_eq!(humdrum.results("f/shards/1").blocks.len(), whole.blocks.len());
}

#[test]
fn a_damaged_shard_is_named_and_the_others_count() {
    let humdrum = here();
    submit(&humdrum, 0, "f", &[]);
    for number in ["1", "2"] {
        exits(&humdrum, 0, &["fleet", "shard", "f", number]);
    }
    let file = humdrum.path("f/shards/2/results.sqlite");
    let whole = fs::read(&file).expect("read");
    let again = "mv f/shards/2 f/damaged-2 && humdrum fleet shard f 2";
    // Its head cannot be read, or only what comes after it.
    let mut within = whole.clone();
    let end = within.len();
    within[end / 2..].fill(0xff);
    for bytes in [&whole[..5000], &within] {
        // Another file: what was merged before may be a second name of this one.
        fs::remove_file(&file).expect("removed");
        fs::write(&file, bytes).expect("written");
        let output = run(&humdrum, &["fleet", "fetch", "f"]);
        let (told, complaint) = (text_of(&output.stdout), text_of(&output.stderr));
        assert_eq!(output.status.code(), Some(1), "{complaint}");
        assert!(told.contains("1 of 3 shards are here; missing: 2, 3"), "{told}");
        let complaint = exits(&humdrum, 2, &["fleet", "shard", "f", "2"]);
        assert!(
            complaint.contains("f/shards/2/results.sqlite is damaged") && complaint.contains(again),
            "{complaint}"
        );
    }
    fs::write(&file, &whole[..5000]).expect("written");
    let told = exits(&humdrum, 0, &["fleet", "status", "f"]);
    for expected in [
        "shard 1    finished",
        "shard 2    damaged",
        "shard 3    not begun",
        "1 of 3 shards are finished",
        again,
    ] {
        assert!(told.contains(expected), "{told}");
    }
    let told = exits(&humdrum, 0, &["fleet", "state", "f"]);
    assert!(told.contains(r#""shard":2,"finished":false,"sessions":null,"damage":"#), "{told}");
    exits(&humdrum, 0, &["fleet", "copies", "f"]);
    assert!(
        humdrum.path("f/copies/shards/1/results.sqlite").exists()
            && !humdrum.path("f/copies/shards/2").exists()
    );

    fs::rename(humdrum.path("f/shards/2"), humdrum.path("f/damaged-2")).expect("moved");
    exits(&humdrum, 0, &["fleet", "shard", "f", "2"]);
    assert!(exits(&humdrum, 0, &["fleet", "status", "f"]).contains("2 of 3 shards are finished"));
}

#[test]
fn a_dry_run_shows_the_scripts_and_makes_nothing() {
    let humdrum = here();
    let told = submit(&humdrum, 0, "f", &["--per-host", "2", "--dry-run"]);
    for expected in ["#SBATCH --array=1-6%3", "fleet fetch", "sbatch --parsable --dependency=afterany:JOB"] {
        assert!(told.contains(expected), "{told}");
    }
    assert!(
        !told.contains("disk of the results") && !humdrum.path("f").exists() && calls(&humdrum).is_empty()
    );
    // An hour of nine sessions has many blocks in each of them.
    fs::write(humdrum.path("long.toml"), PLAN.replace("60s", "9h")).expect("written");
    let long = ["fleet", "slurm", "long.toml", "--hosts", "3", "--out", "f", "--dry-run"];
    let told = exits(&humdrum, 0, &long);
    assert!(
        told.contains("\n# disk of the results: up to ") && told.contains(" MiB beside each record"),
        "{told}"
    );
    let told = submit(&humdrum, 0, "f", &["--no-submit"]);
    assert!(told.contains("humdrum fleet shard") && calls(&humdrum).is_empty(), "{told}");
    exits(&humdrum, 0, &["fleet", "shard", "f", "2"]);
}

#[test]
fn what_cannot_be_submitted_is_refused_and_leaves_nothing() {
    let humdrum = here();
    for (more, expected) in [
        (&["--per-host", "4"][..], "has no 12 shards"),
        (&["--per-host", "0"], "at least one each"),
        (&["--per-host", "4294967295"], "more than can be counted"),
        (&["--constraint", "a b"], "`a b` has signs"),
    ] {
        let complaint = submit(&humdrum, 2, "f", more);
        assert!(complaint.contains(expected), "{complaint}");
    }
    fs::write(humdrum.path("bin/refuse"), "").expect("written");
    let output = run(&humdrum, &[&SUBMIT[..], &["f"]].concat());
    let complaint = text_of(&output.stderr);
    assert!(output.status.code() != Some(0) && complaint.contains("no such partition"), "{complaint}");
    assert!(!humdrum.path("f").exists());

    // The merge alone is refused: the shards are cancelled.
    fs::remove_file(humdrum.path("bin/refuse")).expect("removed");
    fs::write(humdrum.path("bin/calls"), "").expect("written");
    let bin = humdrum.path("bin").display().to_string();
    let once = format!(
        "#!/bin/sh\necho \"$@\" >> {bin}/calls\ncase \"$@\" in *dependency*) exit 1 ;; *) echo 41 ;; esac\n"
    );
    program(&humdrum, "sbatch", &once);
    let complaint = text_of(&run(&humdrum, &[&SUBMIT[..], &["f"]].concat()).stderr);
    assert!(
        complaint.contains("job 41 with the shards was submitted before and is cancelled"),
        "{complaint}"
    );
    assert!(calls(&humdrum).ends_with("scancel 41\n") && !humdrum.path("f").exists());

    fs::remove_file(humdrum.path("bin/sbatch")).expect("removed");
    if !["/usr/bin/sbatch", "/bin/sbatch"].iter().any(|path| fs::exists(path).unwrap_or(false)) {
        assert!(submit(&humdrum, 2, "f", &[]).contains("`sbatch` is not in PATH"));
    }
}

#[test]
fn a_shard_of_another_plan_number_or_folder_is_refused() {
    let humdrum = here();
    submit(&humdrum, 0, "f", &[]);
    assert!(submit(&humdrum, 2, "f", &[]).contains("exists already"));
    assert!(exits(&humdrum, 2, &["fleet", "shard", "f", "4"]).contains("no shard 4 of 3"));
    assert!(exits(&humdrum, 2, &["fleet", "status", "bin"]).contains("no folder of a fleet"));
    fs::write(humdrum.path("plan.toml"), PLAN.replace("60s", "90s")).expect("written");
    assert!(exits(&humdrum, 2, &["fleet", "shard", "f", "1"]).contains("is not the plan that was submitted"));
    fs::write(humdrum.path("f/fleet.json"), "{").expect("written");
    assert!(exits(&humdrum, 2, &["fleet", "shard", "f", "1"]).contains("is damaged"));
}

#[test]
fn a_plan_without_builds_makes_an_archive_without_builds() {
    let humdrum = here();
    let told = exits(&humdrum, 0, &["pack", "plan.toml"]);
    assert!(told.ends_with("  builds.tar\n"), "{told}");
    assert!(exits(&humdrum, 0, &["unpack", "builds.tar"]).contains("are here already"));
    assert!(exits(&humdrum, 2, &["pack", "plan.toml"]).contains("exists already"));
    assert!(exits(&humdrum, 2, &["unpack", "nothing.tar"]).contains("cannot read nothing.tar"));
}

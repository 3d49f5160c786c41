//! The command that a report prints repeats the run: typed into a shell, it gives the same plan.

use std::process::Command;

use crate::common::{Humdrum, text_of, words};

/// What `--dry-run` says, which has everything that a plan decides.
fn planned(humdrum: &Humdrum, args: &[&str]) -> String {
    let output = humdrum.exits(0, &[args, &["--dry-run"]].concat());
    text_of(&output.stdout)
}

#[test]
fn a_shell_reads_the_command_of_a_post_back_into_the_same_plan() {
    let humdrum = Humdrum::new();
    let plain = ["compare", "fake@1.0", "new=fake@1.1", "--tests", "scan,hot-points", "--scale", "tiny"];
    let own = ["", "--delta 3% --slice-ms 20 --sessions 9 --timeout 7s --seed 5 --strict"].map(words);
    for (number, options) in own.iter().enumerate() {
        let typed = [&plain[..], options].concat();
        let out = format!("out-{number}");
        let output = humdrum.run(&[typed.as_slice(), &["--quiet", "--out", &out]].concat());
        assert!(matches!(output.status.code(), Some(0 | 4)), "{}", text_of(&output.stderr));
        let post = std::fs::read_to_string(humdrum.path(&out).join("summary.md")).expect("a post");
        let command = post.lines().find_map(|line| line.strip_prefix("    humdrum ")).expect("a command");
        let read =
            Command::new("sh").args(["-c", &format!("printf '%s\\n' {command}")]).output().expect("a shell");
        let read = text_of(&read.stdout);
        let read: Vec<&str> = read.lines().collect();
        assert_eq!(planned(&humdrum, &read), planned(&humdrum, &typed), "{command}");
        assert!(options.is_empty() || command.contains("--timeout 7s"), "{command}");
    }
}

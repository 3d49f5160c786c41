//! The parts of the action for GitHub: its scripts do what they say, beside a stub of the two calls that the comment makes.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread::JoinHandle;

use crate::common::{Humdrum, text_of};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

#[test]
fn the_inputs_of_a_check_are_arguments_and_no_code() {
    let humdrum = Humdrum::new();
    let outputs = humdrum.path("outputs");
    let checked = |tests: &str, out: &str| {
        let output = Command::new(root().join("action/check.sh"))
            .current_dir(humdrum.folder())
            .env("HUMDRUM", env!("CARGO_BIN_EXE_humdrum"))
            .env("HUMDRUM_CACHE", humdrum.path("cache"))
            .env("GITHUB_OUTPUT", &outputs)
            .envs([("CHECK_BASE", "fake@1.0"), ("CHECK_HEAD", "same=fake@1.0"), ("CHECK_OUT", out)])
            .envs([
                ("CHECK_TESTS", tests),
                ("CHECK_SCALE", "tiny"),
                ("CHECK_BUDGET", "60s"),
                ("CHECK_POLICY", ""),
            ])
            .output()
            .expect("the script starts");
        (output.status.code(), text_of(&output.stdout) + &text_of(&output.stderr))
    };
    let (code, told) = checked("scan", "a");
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(fs::read_to_string(&outputs).expect("outputs"), "results=a\ncode=0\n");
    assert!(humdrum.path("a/comment.md").exists());
    let (code, told) = checked("$(touch harmed); touch harmed", "b");
    assert!(code == Some(2) && told.contains("no test"), "{told}");
    assert!(!humdrum.path("harmed").exists());
}

/// A server that answers these calls, one connection each; it returns what it was asked.
fn stub(answers: &'static [&'static str]) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let asked = std::thread::spawn(move || {
        let answer = |body: &&str| {
            let (mut stream, _) = listener.accept().expect("a call");
            let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
            let (mut head, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).expect("a line");
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().expect("a length");
                }
                if line.trim().is_empty() {
                    break;
                }
                head.push_str(&line);
            }
            let mut sent = vec![0; length];
            reader.read_exact(&mut sent).expect("a body");
            write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            )
            .expect("answered");
            head + &text_of(&sent)
        };
        answers.iter().map(answer).collect()
    });
    (address, asked)
}

fn comment(humdrum: &Humdrum, address: &str, number: &str, file: &str) -> Output {
    let github = [("GITHUB_API_URL", address), ("GITHUB_TOKEN", "secret-1"), ("GITHUB_REPOSITORY", "me/db")];
    commented(humdrum, &github, number, file)
}

fn commented(humdrum: &Humdrum, forge: &[(&str, &str); 3], number: &str, file: &str) -> Output {
    Command::new(root().join("action/comment.sh"))
        .args([number, file])
        .current_dir(humdrum.folder())
        .envs(*forge)
        .output()
        .expect("the script starts")
}

#[test]
fn a_comment_is_written_once_and_then_replaced() {
    if !has("curl") || !has("jq") {
        println!("skipped: needs curl and jq");
        return;
    }
    let humdrum = Humdrum::new();
    fs::write(humdrum.path("comment.md"), "## This change passes\n\n\"quoted\" \\ 100 %\n").expect("written");
    let (address, asked) = stub(&["[]", "{}"]);
    let output = comment(&humdrum, &address, "7", "comment.md");
    assert!(output.status.success(), "{}", text_of(&output.stderr));
    let asked = asked.join().expect("asked");
    assert!(asked[0].starts_with("GET /repos/me/db/issues/7/comments?per_page=100&page=1"), "{asked:?}");
    assert!(
        asked[1].starts_with("POST /repos/me/db/issues/7/comments ") && asked[1].contains("Bearer secret-1")
    );
    let body: serde_json::Value = serde_json::from_str(
        asked[1].lines().skip_while(|line| !line.starts_with('{')).collect::<String>().as_str(),
    )
    .expect("JSON");
    let text = body["body"].as_str().expect("a text");
    assert!(
        text.starts_with("## This change passes\n\n\"quoted\" \\ 100 %\n") && text.contains("<!-- humdrum")
    );
    let known = r#"[{"id": 1, "body": "hello"}, {"id": 41, "author_association": "NONE", "user": {"type": "User"}, "body": "mine <!-- humdrum: the check of this pull request -->"},
        {"id": 42, "user": {"type": "Bot"}, "body": "old <!-- humdrum: the check of this pull request -->"}]"#;
    // A busy request has several pages of comments.
    let full: Vec<String> = (0..100).map(|id| format!(r#"{{"id": {id}, "body": "hello"}}"#)).collect();
    let full: &'static str = Box::leak(format!("[{}]", full.join(",")).into_boxed_str());
    let (address, asked) = stub(Box::leak(Box::new([full, known, "{}"])));
    assert!(comment(&humdrum, &address, "7", "comment.md").status.success());
    let asked = asked.join().expect("asked");
    assert!(asked[1].contains("&page=2") && asked[2].starts_with("PATCH "), "{asked:?}");
    let (address, asked) = stub(Box::leak(Box::new([known, "{}"])));
    assert!(comment(&humdrum, &address, "7", "comment.md").status.success());
    assert!(asked.join().expect("asked")[1].starts_with("PATCH /repos/me/db/issues/comments/42 "));
}

#[test]
fn the_number_of_another_request_is_refused_and_checks_have_their_own_comments() {
    if !has("curl") || !has("jq") {
        println!("skipped: needs curl and jq");
        return;
    }
    let humdrum = Humdrum::new();
    fs::write(humdrum.path("comment.md"), "## This change passes\n").expect("written");
    let commented = |answers: &'static [&'static str]| {
        let (address, asked) = stub(answers);
        let github =
            [("GITHUB_API_URL", &address[..]), ("GITHUB_TOKEN", "secret-1"), ("GITHUB_REPOSITORY", "me/db")];
        let output = Command::new(root().join("action/comment.sh"))
            .args(["7", "comment.md"])
            .current_dir(humdrum.folder())
            .envs(github)
            .envs([("HEAD_SHA", "c0ffee"), ("CHECK_NAME", "reads --> <b>")])
            .output()
            .expect("the script starts");
        (output, asked.join().expect("asked"))
    };
    let (output, asked) = commented(&[r#"{"head": {"sha": "5ee"}}"#]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text_of(&output.stderr).contains("c0ffee is not the head of request 7"));
    assert!(asked[0].starts_with("GET /repos/me/db/pulls/7 "), "{asked:?}");
    let other = r#"[{"id": 1, "body": "<!-- humdrum: the check of this pull request -->"}]"#;
    let answers = [r#"{"head": {"sha": "c0ffee"}}"#, other, "{}"];
    let (output, asked) = commented(Box::leak(Box::new(answers)));
    assert!(output.status.success(), "{}", text_of(&output.stderr));
    assert!(
        asked[2].starts_with("POST ") && asked[2].contains("the check reads ___ _b_ of this"),
        "{asked:?}"
    );
}

/// With a stand-in for the forge's command line, which copies an archive made here.
#[test]
fn a_release_is_checked_by_its_sum_before_it_is_used() {
    let humdrum = Humdrum::new();
    let made = humdrum.path("made");
    let bin = humdrum.path("bin");
    fs::create_dir_all(made.join("humdrum-0.1.0/bin")).expect("a folder");
    fs::create_dir_all(&bin).expect("a folder");
    let run = |script: &str| {
        let output = Command::new("sh").args(["-ec", script]).current_dir(&made).output().expect("a shell");
        assert!(output.status.success(), "{}", text_of(&output.stderr));
    };
    run("printf '#!/bin/sh\necho 0.1.0\n' >humdrum-0.1.0/bin/humdrum; chmod +x humdrum-0.1.0/bin/humdrum
         name=humdrum-0.1.0-$(uname -m)-unknown-linux-gnu.tar.xz
         tar -cJf \"$name\" humdrum-0.1.0; sha256sum \"$name\" >SHA256SUMS; echo \"$(printf '0%.0s' $(seq 64))  other\" >>SHA256SUMS");
    let gh = format!(
        "#!/bin/sh\necho \"$@\" >{0}/asked\ncp {0}/humdrum-*.tar.xz {0}/SHA256SUMS \"$7\"\n",
        made.display()
    );
    fs::write(bin.join("gh"), gh).expect("written");
    run("chmod +x ../bin/gh");
    let installed = || {
        let path = format!("{}:/usr/bin:/bin", bin.display());
        let output = Command::new(root().join("action/install.sh"))
            .env("PATH", path)
            .envs([("CHECK_RELEASE", "v0.1.0"), ("CHECK_RELEASES", "me/humdrum")])
            .env("RUNNER_TEMP", humdrum.folder())
            .env("GITHUB_PATH", humdrum.path("path"))
            .output()
            .expect("the script starts");
        (output.status.success(), text_of(&output.stdout) + &text_of(&output.stderr))
    };
    let (good, told) = installed();
    assert!(good, "{told}");
    let asked = fs::read_to_string(made.join("asked")).expect("a call");
    assert!(asked.starts_with("release download v0.1.0 --repo me/humdrum --dir "), "{asked}");
    let place = fs::read_to_string(humdrum.path("path")).expect("a path");
    assert!(Path::new(place.trim()).join("humdrum").exists(), "{place}");
    run("echo x >>humdrum-0.1.0-$(uname -m)-unknown-linux-gnu.tar.xz");
    let (good, told) = installed();
    assert!(!good && told.contains("FAILED"), "{told}");
}

#[test]
fn on_gitlab_it_is_a_note_of_the_merge_request() {
    if !has("curl") || !has("jq") {
        println!("skipped: needs curl and jq");
        return;
    }
    let humdrum = Humdrum::new();
    fs::write(humdrum.path("comment.md"), "## This change passes\n").expect("written");
    let noted = |answers| {
        let (address, asked) = stub(answers);
        let gitlab = [("CI_API_V4_URL", &address[..]), ("HUMDRUM_TOKEN", "secret-2"), ("CI_PROJECT_ID", "3")];
        let output = commented(&humdrum, &gitlab, "7", "comment.md");
        assert!(output.status.success(), "{}", text_of(&output.stderr));
        asked.join().expect("asked")
    };
    let asked = noted(&["[]", "{}"]);
    assert!(asked[0].starts_with("GET /projects/3/merge_requests/7/notes?per_page=100&page=1"), "{asked:?}");
    assert!(
        asked[1].starts_with("POST /projects/3/merge_requests/7/notes ") && asked[1].contains("secret-2")
    );
    let known = r#"[{"id": 42, "body": "old <!-- humdrum: the check of this pull request -->"}]"#;
    let asked = noted(Box::leak(Box::new([known, "{}"])));
    assert!(asked[1].starts_with("PUT /projects/3/merge_requests/7/notes/42 "), "{asked:?}");
}

#[test]
fn what_is_no_comment_is_refused_without_a_call() {
    let humdrum = Humdrum::new();
    for (number, file, expected) in [("7; rm", "comment.md", "no number"), ("7", "missing.md", "cannot read")]
    {
        let output = comment(&humdrum, "http://127.0.0.1:9", number, file);
        assert_eq!(output.status.code(), Some(2));
        assert!(text_of(&output.stderr).contains(expected), "{}", text_of(&output.stderr));
    }
}

#[test]
fn the_action_names_scripts_that_are_there() {
    let action = fs::read_to_string(root().join("action.yml")).expect("the action");
    let script = fs::read_to_string(root().join("action/check.sh")).expect("the script");
    assert!(action.contains("$GITHUB_ACTION_PATH/action/check.sh"));
    let install = fs::read_to_string(root().join("action/install.sh")).expect("the script");
    assert!(action.contains("$GITHUB_ACTION_PATH/action/install.sh"));
    let comments = fs::read_to_string(root().join("action/comment.sh")).expect("the script");
    let script = script + &install + &comments;
    let names = action.lines().filter_map(|line| line.trim().strip_prefix("CHECK_")?.split(':').next());
    let unread: Vec<&str> = names.filter(|name| !script.contains(&format!("CHECK_{name}"))).collect();
    assert!(unread.is_empty(), "{unread:?}");
    // Every example calls the action by inputs that it has, or the script by variables that it reads.
    let inputs: Vec<&str> = action
        .lines()
        .take_while(|line| !line.starts_with("outputs:"))
        .filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':').filter(|name| !name.starts_with(' ')))
        .collect();
    for entry in fs::read_dir(root().join("docs/ci")).expect("examples") {
        let path = entry.expect("an example").path();
        let text = fs::read_to_string(&path).expect("an example");
        assert!(text.starts_with("# ") && !text.contains('\t'), "{}", path.display());
        if let Some((_, with)) = text.split_once("YOUR-COPY/humdrum@main\n        with:\n") {
            let given = with.lines().map_while(|line| line.strip_prefix("          ")?.split(':').next());
            let unknown: Vec<&str> = given.filter(|name| !inputs.contains(name)).collect();
            assert!(unknown.is_empty(), "{}: {unknown:?}", path.display());
        }
        let words = text.split(|c: char| !(c.is_ascii_uppercase() || c == '_'));
        let unread: Vec<&str> =
            words.filter(|word| word.starts_with("CHECK_") && !script.contains(word)).collect();
        assert!(unread.is_empty(), "{}: {unread:?}", path.display());
    }
    let comment = fs::read_to_string(root().join("docs/ci/comment.yml")).expect("a workflow");
    assert!(action.contains("\"$RESULTS/pull-request\"") && comment.contains("humdrum-check/pull-request"));
}

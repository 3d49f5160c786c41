//! Outputs of commands in the documents: between two marks stand a command and what it prints, and both must still agree.
//! `HUMDRUM_UPDATE_DOCS=1 cargo test -p humdrum --test fake outputs_in_docs` makes the outputs anew.

use std::fs;
use std::path::Path;

use crate::common::{Humdrum, text_of};

const BEGIN: &str = "<!-- output of a command; HUMDRUM_UPDATE_DOCS=1 makes it anew -->\n";
const END: &str = "<!-- end of the output -->\n";

/// The program's arguments in a command as it is typed: indented, with lines that go on after a backslash.
fn arguments(command: &str) -> Vec<&str> {
    let words = command.split_whitespace().filter(|word| *word != "\\").collect::<Vec<_>>();
    assert_eq!(words.first(), Some(&"humdrum"), "{command}");
    words[1..].to_vec()
}

/// The document with the output of each of its commands, and how many there are.
fn made_anew(document: &str, run: impl Fn(&[&str]) -> String) -> (String, usize) {
    let mut parts = document.split(BEGIN);
    let mut made = parts.next().unwrap_or_default().to_owned();
    let mut count = 0;
    for part in parts {
        let (inside, after) = part.split_once(END).expect("each mark has its end");
        let (command, _) = inside.trim_start_matches('\n').split_once("\n\n").expect("a command");
        made += &format!("{BEGIN}\n{command}\n\n{}\n{END}{after}", run(&arguments(command)));
        count += 1;
    }
    (made, count)
}

#[test]
fn are_what_the_commands_print() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let lab = Humdrum::new();
    let run = |arguments: &[&str]| {
        let output = lab.private(arguments).current_dir(&root).output().expect("humdrum starts");
        assert!(output.status.success(), "{arguments:?}: {}", text_of(&output.stderr));
        text_of(&output.stdout)
    };
    let mut outputs = 0;
    for entry in fs::read_dir(root.join("docs")).expect("documents") {
        let path = entry.expect("a document").path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let document = fs::read_to_string(&path).expect("text");
        let (made, count) = made_anew(&document, run);
        outputs += count;
        if std::env::var_os("HUMDRUM_UPDATE_DOCS").is_some() && made != document {
            fs::write(&path, &made).expect("written");
            continue;
        }
        assert!(made == document, "an output in {} is another today: HUMDRUM_UPDATE_DOCS=1", path.display());
    }
    assert!(outputs >= 3, "{outputs} outputs were found");
}

#[test]
fn a_document_gets_the_output_of_its_command() {
    let old = format!("a\n{BEGIN}\n    humdrum beside x \\\n        --format markdown\n\nold\n{END}b\n");
    let (made, count) = made_anew(&old, |arguments| format!("{}\n", arguments.join(",")));
    let new = format!(
        "a\n{BEGIN}\n    humdrum beside x \\\n        --format markdown\n\nbeside,x,--format,markdown\n\n{END}b\n"
    );
    assert_eq!((made.as_str(), count), (new.as_str(), 1));
    assert_eq!(made_anew(&made, |arguments| format!("{}\n", arguments.join(","))).0, new, "nothing grows");
}

//! `humdrum completions` and `humdrum man`: every verb is in them.

use crate::common::{Humdrum, text_of};

/// The verbs that `--help` lists.
fn verbs(humdrum: &Humdrum) -> Vec<String> {
    let help = text_of(&humdrum.exits(0, &["--help"]).stdout);
    let list =
        help.split_once("Commands:").and_then(|(_, rest)| rest.split_once("Options:")).expect("a list").0;
    let verbs = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let verbs = verbs.filter_map(|line| line.split_whitespace().next().map(str::to_owned));
    verbs.filter(|verb| verb != "help").collect()
}

#[test]
fn shells_complete_every_verb() {
    let humdrum = Humdrum::new();
    let verbs = verbs(&humdrum);
    assert!(verbs.len() > 20 && verbs.contains(&"compare".to_owned()), "{verbs:?}");
    for shell in ["bash", "zsh", "fish"] {
        let script = text_of(&humdrum.exits(0, &["completions", shell]).stdout);
        let missing: Vec<_> = verbs.iter().filter(|verb| !script.contains(verb.as_str())).collect();
        assert!(missing.is_empty(), "{shell}: {missing:?}");
        assert!(script.contains("budget"), "{shell}: no options");
    }
    let refused = text_of(&humdrum.exits(2, &["completions", "csh"]).stderr);
    assert!(refused.contains("csh") && refused.contains("did you mean `zsh`?"), "{refused}");
}

#[test]
fn every_verb_has_a_page() {
    let humdrum = Humdrum::new();
    let page = text_of(&humdrum.exits(0, &["man"]).stdout);
    assert!(page.contains(".TH humdrum 1") && page.contains("Exit codes"), "{page}");
    let told = text_of(&humdrum.exits(0, &["man", "pages/here"]).stdout);
    assert!(told.contains("man -l pages/here/humdrum-compare.1"), "{told}");
    for verb in verbs(&humdrum) {
        let page = std::fs::read_to_string(humdrum.path(&format!("pages/here/humdrum-{verb}.1")));
        assert!(page.expect("a page").contains(".SH SYNOPSIS"), "{verb}");
    }
}

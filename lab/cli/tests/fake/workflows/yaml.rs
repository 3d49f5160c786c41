//! The YAML files that a project copies, as JSON values, which are easier to look into.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use yaml_rust2::{Yaml, YamlLoader};

/// The workspace's folder.
pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The action, the workflows and the file for GitLab: name and text.
pub(super) fn files() -> Vec<(String, String)> {
    let examples = fs::read_dir(root().join("docs/ci")).expect("examples").map(|entry| {
        let path = entry.expect("an example").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, fs::read_to_string(path).expect("an example"))
    });
    let mut all: Vec<(String, String)> = examples.collect();
    all.push(("action.yml".into(), fs::read_to_string(root().join("action.yml")).expect("the action")));
    all.sort();
    all
}

/// The one document of a file.
///
/// # Errors
/// What is no YAML, several documents, keys that are no text, values that JSON does not have.
pub(super) fn parsed(text: &str) -> Result<Value, String> {
    let documents = YamlLoader::load_from_str(text).map_err(|error| error.to_string())?;
    match &documents[..] {
        [one] => value(one),
        several => Err(format!("{} documents", several.len())),
    }
}

fn value(yaml: &Yaml) -> Result<Value, String> {
    Ok(match yaml {
        Yaml::Null => Value::Null,
        Yaml::Boolean(yes) => (*yes).into(),
        Yaml::Integer(number) => (*number).into(),
        Yaml::Real(number) => number.parse::<f64>().map_err(|error| format!("{number}: {error}"))?.into(),
        Yaml::String(text) => text.as_str().into(),
        Yaml::Array(all) => Value::Array(all.iter().map(value).collect::<Result<_, _>>()?),
        Yaml::Hash(all) => {
            let pair = |(key, own): (&Yaml, &Yaml)| match key {
                Yaml::String(key) => Ok((key.clone(), value(own)?)),
                other => Err(format!("the key {other:?} is no text")),
            };
            Value::Object(all.iter().map(pair).collect::<Result<Map<_, _>, _>>()?)
        }
        Yaml::Alias(_) | Yaml::BadValue => return Err("an alias, which these files do not need".into()),
    })
}

#[test]
fn words_that_older_yaml_takes_for_something_else_are_text() {
    let read = parsed("on: {push: null}\nwhen: always\nyes: no\ntimeout: 90\n").expect("YAML");
    assert!(read["on"].is_object() && read["yes"] == "no" && read["timeout"] == 90);
    for (bad, expected) in [("a: 1\na: 2\n", "duplicated key"), ("a: [1\n", ""), ("1: a\n", "is no text")] {
        let told = parsed(bad).expect_err("refused");
        assert!(told.contains(expected), "{told}");
    }
}

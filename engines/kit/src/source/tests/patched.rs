//! Patches that come with an engine.

use super::*;

/// What a patch of the made-up engine does to its version's file.
const NAMED: &str =
    "Without it, cc 2: the name is refused\n--- a/NAME\n+++ b/NAME\n@@ -1 +1 @@\n-old\n+new\n";

/// Installs the patched file; its only patch is for 1.1 to 1.2.
static PATCHED: Recipe = Recipe {
    patches: &[
        Patch { name: "1.1-1.2/name.patch", text: NAMED },
        Patch { name: "1.3/other.patch", text: "Without it, cc 2: never used" },
    ],
    switches: "with_",
    package: RECIPE.package,
    release: RECIPE.release,
    made: &[],
    linked: &[],
    cost: RECIPE.cost,
    resumes: false,
    tools: |_, _| Vec::new(),
    steps: RECIPE.steps,
};

const SCRIPT: &str = "mkdir -p $1$2 && cp NAME $1$2/name\n";

fn bench(name: &str) -> Bench {
    let bench = Bench::new(SCRIPT);
    fs::write(bench.tree().join("NAME"), name).expect("write");
    bench
}

fn wanted(bench: &Bench, settings: &[(&str, &str)]) -> Wanted {
    let value = |(key, value): &(&str, &str)| Setting::Value { key: (*key).into(), value: (*value).into() };
    let settings: Vec<Setting> = settings.iter().map(value).collect();
    check("it", &PATCHED, (&bench.tree(), None), &settings).expect("checked").0
}

fn name_of(made: &Made) -> String {
    fs::read_to_string(made.folder.join("name")).expect("installed")
}

#[test]
fn a_patch_of_the_engine_is_applied_to_its_releases_and_told() {
    let bench = bench("old\n");
    let patched = wanted(&bench, &[]);
    let shown = ["it's 1.1-1.2/name.patch: Without it, cc 2: the name is refused"];
    assert_eq!(plan(&patched, &bench.dirs, &Silent).expect("plan").patches, shown);
    let made = make(&patched, &bench.dirs, &Silent).expect("made");
    assert_eq!(name_of(&made), "new\n");
    assert!(made.facts.build.contains(&format!("patched by {}", shown[0])), "{:?}", made.facts.build);
    let ingredients = fs::read_to_string(made.folder.join("humdrum-build.txt")).expect("ingredients");
    assert!(ingredients.contains("patch of the engine 1.1-1.2/name.patch "), "{ingredients}");
    let source = fs::read_to_string(bench.tree().join("NAME")).expect("source");
    assert_eq!(source, "old\n", "the user's file");

    let plain = make(&wanted(&bench, &[("patches", "off")]), &bench.dirs, &Silent).expect("made");
    assert_eq!(name_of(&plain), "old\n");
    assert_ne!(plain.folder, made.folder);
    fs::write(bench.tree().join("VERSION"), "1.4\n").expect("write");
    let later = make(&wanted(&bench, &[]), &bench.dirs, &Silent).expect("made");
    assert_eq!(name_of(&later), "old\n");
    assert!(!later.facts.build.iter().any(|line| line.contains("patched")), "{:?}", later.facts.build);
}

#[test]
fn sources_that_have_the_repair_are_left_as_they_are() {
    let bench = bench("new\n");
    let made = make(&wanted(&bench, &[]), &bench.dirs, &Silent).expect("made");
    assert_eq!(name_of(&made), "new\n");
    let told = made.facts.build.iter().any(|line| line.ends_with("had 1.1-1.2/name.patch already"));
    assert!(told, "{:?}", made.facts.build);
}

#[test]
fn a_patch_that_does_not_fit_says_how_to_build_without_it() {
    let bench = bench("other\n");
    let fault = make(&wanted(&bench, &[]), &bench.dirs, &Silent).expect_err("does not fit");
    let hint = fault.hint.clone().expect("hint");
    assert!(fault.exit_code() == 2 && hint.contains("+patches=off"), "{fault}: {hint}");
    assert!(fault.to_string().contains("1.1-1.2/name.patch"), "{fault}");
}

//! Files with one mistake each, which the checks have to find: without them, a check that finds nothing would pass.

use super::github::{Inputs, action, workflow};
use super::gitlab::pipeline;
use super::yaml::{files, parsed};

/// A file of ours with one change; the change has to be one.
fn changed(file: &str, from: &str, to: &str) -> serde_json::Value {
    let (_, text) = files().into_iter().find(|(name, _)| name == file).expect("a file of ours");
    assert!(text.contains(from), "{file} has no `{from}`");
    parsed(&text.replacen(from, to, 1)).unwrap_or_else(|error| panic!("{file}, `{to}`: {error}"))
}

fn own() -> Inputs {
    action(&changed("action.yml", "", "")).1
}

fn all_refused(check: impl Fn(&serde_json::Value) -> Vec<String>, kinds: &[(&str, &str, &str, &str)]) {
    for (file, from, to, expected) in kinds {
        let found = check(&changed(file, from, to)).join("\n");
        assert!(found.contains(expected), "{file}, `{from}` -> `{to}`: not `{expected}` but: {found}");
    }
}

#[test]
fn actions_with_a_mistake_are_refused() {
    let file = "action.yml";
    let kinds = [
        ("name: humdrum\n", "nam: humdrum\n", "unknown key `nam`"),
        ("description: Compares", "descriptions: Compares", "`description` is missing"),
        ("using: composite", "using: node20", "`\"node20\"` is none of composite"),
        ("      shell: bash\n", "", "needs `shell`"),
        ("shell: bash", "shell: fish", "`\"fish\"` is none of bash, sh"),
        (
            "    - uses: actions/cache@v4",
            "    - run: x\n      shell: sh\n      uses: actions/cache@v4",
            "both `run` and `uses`",
        ),
        (
            "      run: '\"$GITHUB_ACTION_PATH/action/install.sh\"'",
            "      if: always()",
            "neither `run` nor `uses`",
        ),
        ("${{ inputs.engine }}", "${{ inputs.motor }}", "`inputs.motor` is no input that is declared"),
        ("${{ inputs.engine }}", "${{ inputs.engine }", "has no end"),
        ("${{ inputs.engine }}", "${{ secrets.TOKEN }}", "`secrets.TOKEN`: no such context here"),
        ("${{ inputs.engine }}", "${{ runner.system }}", "`runner.system` is unknown"),
        ("${{ inputs.engine }}", "${{ upper(inputs.engine) }}", "unknown function `upper()`"),
        (
            "${{ steps.check.outputs.code }}",
            "${{ steps.measure.outputs.code }}",
            "`steps.measure.outputs.code`: no step",
        ),
        ("${{ steps.check.outputs.code }}", "${{ steps.check.output.code }}", "or it has no such field"),
        ("steps.check.outputs.results != ''", "steps.check.outputs.results !== ''", "is no expression"),
        ("      id: check", "      id: 1check", "`1check` is no id"),
        ("      id: check", "      id: key", "two steps have the id `key`"),
        ("restore-keys:", "restore_keys:", "actions/cache@v4 has no input `restore_keys`"),
        ("actions/upload-artifact@v4", "actions/upload-artifact@v2", "inputs are not known here"),
        ("        NUMBER: ${{ github", "        2NUMBER: ${{ github", "`2NUMBER` is no name"),
        ("run: echo \"$NUMBER\"", "run: echo ${{ github.event.number }} \"$NUMBER\"", "is read as code"),
        ("default: HEAD", "default: ${{ inputs.base }}", "`inputs.base`: no such context here"),
        ("default: HEAD", "default: [HEAD]", "is no single value"),
        ("default: HEAD", "required: maybe", "neither true nor false"),
    ];
    let kinds = kinds.map(|(from, to, expected)| (file, from, to, expected));
    all_refused(|value| action(value).0, &kinds);
    // A step may refer to those before it alone.
    let found =
        action(&changed(file, "${{ inputs.release }}", "${{ steps.check.outputs.code }}")).0.join("\n");
    assert!(found.contains("no step before has this id"), "{found}");
}

#[test]
fn workflows_with_a_mistake_are_refused() {
    let own = Inputs { needed: ["base".to_owned()].into(), ..own() };
    all_refused(
        |value| workflow(value, &own),
        &[
            ("check.yml", "on: pull_request", "on: pull-request", "unknown event `pull-request`"),
            ("check.yml", "on: pull_request\n", "", "`on` is missing"),
            ("check.yml", "contents: read", "content: read", "unknown key `content`"),
            ("check.yml", "contents: read", "contents: rw", "`\"rw\"` is none of read"),
            ("check.yml", "    runs-on: ubuntu-latest\n", "", "`runs-on` is missing"),
            ("check.yml", "timeout-minutes: 90", "timeout-minutes: 1h", "is no number of minutes"),
            ("check.yml", "fetch-depth", "fetch-deph", "has no input `fetch-deph`"),
            ("check.yml", "tests: point,scan", "test: point,scan", "has no input `test`"),
            ("check.yml", "tests: point,scan", "tests: [point, scan]", "is no single value"),
            ("check.yml", "          engine: postgres\n", "", "needs the input `base`"),
            (
                "check.yml",
                "humdrum@main\n",
                "humdrum@main\n        shell: bash\n",
                "`shell` belongs to `run`",
            ),
            ("check.yml", "    steps:", "    needs: build\n    steps:", "there is no job `build`"),
            ("check.yml", "    steps:", "    strategy: {}\n    steps:", "unknown key `strategy`"),
            (
                "comment.yml",
                "    workflows: [performance, performance of RocksDB]\n",
                "",
                "`workflows` is missing",
            ),
            ("comment.yml", "workflow_run.id }}", "workflow_run.id }", "has no end"),
            (
                "comment.yml",
                "github.event.workflow_run.head_sha",
                "inputs.head_sha",
                "`inputs.head_sha`: no such context",
            ),
            ("comment.yml", "GITHUB_TOKEN:", "GITHUB_SHA:", "`GITHUB_SHA` is no name"),
            ("history.yml", "branches: [main]", "branch: [main]", "unknown key `branch`"),
            (
                "history.yml",
                "branches: [main]",
                "branches: [main]\n    branches-ignore: [a]",
                "exclude each other",
            ),
            ("rocksdb-user.yml", "paths: [third_party/rocksdb]", "paths: []", "an empty one"),
            (
                "rocksdb-user.yml",
                "          for side",
                "          echo ${{ github.sha }}\n          for side",
                "is read as code",
            ),
        ],
    );
}

#[test]
fn pipelines_of_gitlab_with_a_mistake_are_refused() {
    let file = "gitlab.yml";
    let kinds = [
        ("stage: test", "stage: tests", "`\"tests\"` is none of .pre, build"),
        ("  script:", "  scripts:", "`script` is missing"),
        ("    - git clone", "    - echo a: b\n    - git clone", "is no text"),
        ("== \"merge_request_event\"", "= \"merge_request_event\"", "is no condition"),
        ("== \"merge_request_event\"", "== merge_request_event", "is no condition"),
        ("timeout: 90 minutes", "timeout: 90", "is no duration"),
        ("expire_in: 4 weeks", "expire_in: soon", "is no duration"),
        ("needs: [performance]", "needs: [measure]", "no other job `measure`"),
        ("    when: always\n    paths", "    when: ever\n    paths", "`\"ever\"` is none of always"),
        ("    paths: [.humdrum-cache]\n", "", "`paths` is missing"),
        ("    GIT_DEPTH: 0", "    GIT-DEPTH: 0", "no name for a variable"),
        ("image: rust:1-bookworm", "images: rust:1-bookworm", "unknown key `images`"),
    ];
    all_refused(pipeline, &kinds.map(|(from, to, expected)| (file, from, to, expected)));
}

//! `humdrum versions`: engines, their releases and named configurations.

use humdrum_contract::Engine;
use humdrum_model::Fault;

use crate::args::VersionsOptions;
use crate::lab::Lab;

/// `humdrum versions [ENGINE]`.
///
/// # Errors
/// Usage for an unknown engine.
pub fn versions(lab: &Lab, options: &VersionsOptions) -> Result<u8, Fault> {
    let engines: Vec<&dyn Engine> = match &options.engine {
        Some(name) => vec![lab.catalogue.engine_named(name)?],
        None => lab.catalogue.engines.iter().map(|engine| &**engine).collect(),
    };
    if options.json {
        let all: Vec<_> = engines.iter().map(|engine| json(lab, *engine)).collect();
        anstream::println!("{}", serde_json::Value::from(all));
    } else {
        engines.iter().for_each(|engine| anstream::print!("{}", text(lab, *engine)));
    }
    Ok(0)
}

fn text(lab: &Lab, engine: &dyn Engine) -> String {
    let mut out = format!("{}: {}\n", engine.name(), engine.about());
    let releases = engine.releases(&lab.dirs);
    let longest = releases.iter().map(|release| engine.name().len() + 1 + release.version.len()).max();
    let width = longest.unwrap_or_default().max(20);
    for release in releases {
        let pinned = if release.pinned { "" } else { "  not pinned" };
        let cached = if release.cached { "  cached" } else { "" };
        let subject = format!("{}@{}", engine.name(), release.version);
        out.push_str(&format!("  {subject:<width$} {}{pinned}{cached}\n", release.origin));
    }
    let configurations = engine.configurations();
    if !configurations.is_empty() {
        out.push_str("  configurations, after +:\n");
    }
    for configuration in configurations {
        out.push_str(&format!("  {:<width$} {}\n", configuration.name, configuration.about));
    }
    out
}

fn json(lab: &Lab, engine: &dyn Engine) -> serde_json::Value {
    let releases: Vec<_> = engine
        .releases(&lab.dirs)
        .into_iter()
        .map(|release| {
            serde_json::json!({
                "version": release.version, "origin": release.origin,
                "pinned": release.pinned, "cached": release.cached,
            })
        })
        .collect();
    let configurations: Vec<_> = engine
        .configurations()
        .into_iter()
        .map(|one| serde_json::json!({"name": one.name, "about": one.about}))
        .collect();
    serde_json::json!({
        "engine": engine.name(), "about": engine.about(),
        "releases": releases, "configurations": configurations,
    })
}

//! What a program is made of, as CycloneDX 1.5: every crate with version, licence and checksum, and which uses which.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};
use humdrum_provision::checksum::sha256_of_bytes;
use serde_json::{Value, json};

use super::Release;

/// That of the program for a target, with what its build scripts and macros use.
pub fn of(release: &Release, target: &str) -> Result<String, String> {
    let metadata = metadata(&release.root, target)?;
    let root = metadata.packages.iter().find(|package| package.name.as_str() == "humdrum");
    let root = root.ok_or("there is no package `humdrum`")?;
    let lock = release.root.join("Cargo.lock");
    let sums = checksums(&std::fs::read_to_string(&lock).map_err(|error| format!("Cargo.lock: {error}"))?)?;
    let used = used(&metadata, &root.id);
    let components: Vec<Value> = metadata
        .packages
        .iter()
        .filter(|package| package.id != root.id && used.contains_key(&package.id))
        .map(|package| component(package, "library", &sums))
        .collect();
    let name_of: BTreeMap<&PackageId, String> =
        metadata.packages.iter().map(|package| (&package.id, purl(package))).collect();
    let name = |id: &PackageId| name_of.get(id).cloned().unwrap_or_default();
    let dependencies: BTreeMap<String, BTreeSet<String>> =
        used.iter().map(|(id, uses)| (name(id), uses.iter().map(&name).collect())).collect();
    let dependencies: Vec<Value> =
        dependencies.into_iter().map(|(of, on)| json!({ "ref": of, "dependsOn": on })).collect();
    let bom = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": timestamp(release.epoch),
            "component": component(root, "application", &sums),
            "properties": [{ "name": "target", "value": target }],
        },
        "components": components,
        "dependencies": dependencies,
    });
    let text = serde_json::to_string_pretty(&bom).map_err(|error| error.to_string())?;
    // A number of its own that is the same each time: made of the rest, in the form of a UUID of version 8.
    let digest = sha256_of_bytes(text.as_bytes());
    let part = |from: usize, to: usize| digest.get(from..to).unwrap_or_default();
    let serial = format!(
        "urn:uuid:{}-{}-8{}-8{}-{}",
        part(0, 8),
        part(8, 12),
        part(12, 15),
        part(15, 18),
        part(18, 30)
    );
    let bom = match bom {
        Value::Object(mut fields) => {
            fields.insert("serialNumber".into(), serial.into());
            Value::Object(fields)
        }
        other => other,
    };
    serde_json::to_string_pretty(&bom).map(|text| text + "\n").map_err(|error| error.to_string())
}

/// Everything that cargo knows of the workspace for a target.
pub fn metadata(root: &Path, target: &str) -> Result<Metadata, String> {
    let options = ["--filter-platform", target, "--locked"].map(str::to_owned);
    MetadataCommand::new().current_dir(root).other_options(options).exec().map_err(|error| error.to_string())
}

/// The packages that a package is built from, itself included, each with those that it uses; without what only tests use.
fn used(metadata: &Metadata, root: &PackageId) -> BTreeMap<PackageId, Vec<PackageId>> {
    let nodes = metadata.resolve.iter().flat_map(|resolve| &resolve.nodes);
    let nodes: BTreeMap<&PackageId, _> = nodes.map(|node| (&node.id, node)).collect();
    let mut used = BTreeMap::new();
    let mut open = vec![root.clone()];
    while let Some(id) = open.pop() {
        let Some(node) = nodes.get(&id).filter(|_| !used.contains_key(&id)) else { continue };
        let counts = |kinds: &[cargo_metadata::DepKindInfo]| {
            kinds.iter().any(|kind| kind.kind != DependencyKind::Development)
        };
        let uses: Vec<PackageId> =
            node.deps.iter().filter(|dep| counts(&dep.dep_kinds)).map(|dep| dep.pkg.clone()).collect();
        open.extend(uses.clone());
        used.insert(id, uses);
    }
    used
}

fn component(package: &Package, kind: &str, sums: &BTreeMap<(String, String), String>) -> Value {
    let mut component = json!({
        "type": kind,
        "bom-ref": purl(package),
        "name": package.name.as_str(),
        "version": package.version.to_string(),
        "purl": purl(package),
    });
    if let Some(licence) = &package.license {
        // Old crates write `MIT/Apache-2.0`.
        component["licenses"] = json!([{ "expression": licence.replace('/', " OR ") }]);
    }
    if let Some(sum) = sums.get(&(package.name.to_string(), package.version.to_string())) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
    }
    component
}

fn purl(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version)
}

/// SHA-256 of the crates that Cargo.lock pins, by name and version.
fn checksums(lock: &str) -> Result<BTreeMap<(String, String), String>, String> {
    let lock: toml::Table = toml::from_str(lock).map_err(|error| format!("Cargo.lock: {error}"))?;
    let packages = lock.get("package").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    let of = |package: &toml::Value| {
        let field = |name: &str| package.get(name).and_then(toml::Value::as_str).map(str::to_owned);
        Some(((field("name")?, field("version")?), field("checksum")?))
    };
    Ok(packages.iter().filter_map(of).collect())
}

/// `2026-11-27T01:02:03Z`.
fn timestamp(epoch: u64) -> String {
    humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(epoch)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_of_crates_from_a_registry() {
        let lock = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"ff\"\n\n[[package]]\nname = \"b\"\nversion = \"0.1.0\"\n";
        let sums = checksums(lock).unwrap();
        assert_eq!(sums, BTreeMap::from([(("a".to_owned(), "1.0.0".to_owned()), "ff".to_owned())]));
    }

    #[test]
    fn a_package_for_tests_alone_is_no_part() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let metadata = metadata(&root, "x86_64-unknown-linux-gnu").unwrap();
        let humdrum = metadata.packages.iter().find(|package| package.name.as_str() == "humdrum").unwrap();
        let used = used(&metadata, &humdrum.id);
        let has = |name: &str| {
            metadata
                .packages
                .iter()
                .any(|package| package.name.as_str() == name && used.contains_key(&package.id))
        };
        assert!(has("rusqlite") && has("serde_derive") && !has("insta") && !has("xtask"));
    }
}

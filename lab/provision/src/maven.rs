//! Maven coordinates, and the repository to fetch from: `HUMDRUM_MAVEN_REPOSITORY`, else the one named in
//! `~/.m2/settings.xml`, else the default of the Maven library. No address is written here, so a company's mirror
//! works as well as any other.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use humdrum_contract::{Interrupt, Outcome};
use humdrum_model::Fault;
use maven_toolbox::{ArtifactFqn, Resolver};
use roxmltree::{Document, Node};

use crate::fetch;

/// Names one file of a Maven repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coordinates {
    /// Group, with dots.
    pub group: String,
    /// Artifact.
    pub artifact: String,
    /// Version.
    pub version: String,
    /// `jar`, `zip` …
    pub packaging: String,
    /// Tells files of one version apart (`linux-amd64`).
    pub classifier: Option<String>,
}

impl Coordinates {
    /// A jar.
    pub fn jar(group: &str, artifact: &str, version: &str) -> Self {
        let [group, artifact, version, packaging] = [group, artifact, version, "jar"].map(str::to_owned);
        Self { group, artifact, version, packaging, classifier: None }
    }

    /// A zip for one platform.
    pub fn zip(group: &str, artifact: &str, version: &str, classifier: &str) -> Self {
        let (packaging, classifier) = ("zip".to_owned(), Some(classifier.to_owned()));
        Self { packaging, classifier, ..Self::jar(group, artifact, version) }
    }

    /// The file's own name.
    pub fn file_name(&self) -> String {
        format!("{}-{}{}.{}", self.artifact, self.version, self.ending(), self.packaging)
    }

    /// The file's address in a repository.
    ///
    /// # Errors
    /// Never for complete coordinates.
    pub fn url(&self, repository: &str) -> Outcome<String> {
        let mut resolver = Resolver::default();
        resolver.repository.base_url = repository.trim_end_matches('/').to_owned();
        let name = ArtifactFqn {
            group_id: Some(self.group.clone()),
            artifact_id: Some(self.artifact.clone()),
            version: Some(self.version.clone()),
            packaging: Some(self.packaging.clone()),
        };
        let url = resolver.create_url(&name).map_err(|error| Fault::usage(error.msg))?;
        // The library knows no classifiers; they stand before the last dot.
        let (stem, packaging) = url.rsplit_once('.').unwrap_or((&url, &self.packaging));
        Ok(format!("{stem}{}.{packaging}", self.ending()))
    }

    fn ending(&self) -> String {
        self.classifier.as_ref().map(|classifier| format!("-{classifier}")).unwrap_or_default()
    }
}

/// Versions of an artifact that the repository lists.
///
/// # Errors
/// Environment: it cannot be reached, or has no list of them; interrupted.
pub fn versions(coordinates: &Coordinates, interrupt: &Interrupt) -> Outcome<Vec<String>> {
    let repository = repository()?;
    let (group, artifact) = (coordinates.group.replace('.', "/"), &coordinates.artifact);
    let url = format!("{}/{group}/{artifact}/maven-metadata.xml", repository.trim_end_matches('/'));
    let missing = || Fault::environment(format!("the repository has no list of versions of {artifact}"));
    listed(&fetch::text(&url, interrupt)?.ok_or_else(missing)?).ok_or_else(missing)
}

/// The versions of a list; `None` for something else.
fn listed(text: &str) -> Option<Vec<String>> {
    let document = Document::parse(text).ok()?;
    let list = document.descendants().find(|node| node.has_tag_name_of("versions"))?;
    let versions = list.children().filter(|node| node.has_tag_name_of("version"));
    Some(versions.map(|node| text_of(Some(node))).collect())
}

/// The repository to fetch from.
///
/// # Errors
/// Usage, when the variable or the settings cannot be understood.
pub fn repository() -> Outcome<String> {
    let named = env::var("HUMDRUM_MAVEN_REPOSITORY").ok().filter(|url| !url.is_empty());
    let settings = env::var_os("HOME").map(|home| PathBuf::from(home).join(".m2/settings.xml"));
    choose(named, settings.as_deref())
}

fn choose(named: Option<String>, settings: Option<&Path>) -> Outcome<String> {
    if let Some(url) = named {
        return if is_http(&url) {
            Ok(url)
        } else {
            let what = format!("HUMDRUM_MAVEN_REPOSITORY={url} is not the address of a repository");
            Err(Fault::usage(what).hint("it starts with https:// or http://"))
        };
    }
    let text = settings.and_then(|path| Some((path, fs::read_to_string(path).ok()?)));
    let found =
        text.map(|(path, text)| from_settings(&text).map_err(|fault| fault.at(path.display().to_string())));
    Ok(found.transpose()?.flatten().unwrap_or_else(|| Resolver::default().repository.base_url))
}

/// A mirror of the default repository, else the first repository of an active profile.
fn from_settings(text: &str) -> Outcome<Option<String>> {
    let unread = |error| {
        Fault::usage(format!("not well-formed: {error}")).hint("correct it, or set HUMDRUM_MAVEN_REPOSITORY")
    };
    let document = Document::parse(text).map_err(unread)?;
    let named = |name: &'static str| document.descendants().filter(move |node| node.has_tag_name_of(name));
    let mirror = named("mirror").find(|node| mirrors_default(&child_text(*node, "mirrorOf"))).map(url_of);
    let active: Vec<String> = named("activeProfile").map(|node| text_of(Some(node))).collect();
    let profiles = named("profile").filter(|node| {
        active.contains(&child_text(*node, "id")) || named_in(*node, "activeByDefault") == "true"
    });
    let repositories = profiles.flat_map(|node| {
        node.descendants().filter(|below| below.has_tag_name_of("repository")).map(url_of).collect::<Vec<_>>()
    });
    Ok(mirror.into_iter().chain(repositories).find(|url| is_http(url)))
}

/// Maven's patterns: `*`, `external:*`, `central`, lists of them, and `!central` to leave it out.
fn mirrors_default(pattern: &str) -> bool {
    let parts: Vec<&str> = pattern.split(',').map(str::trim).collect();
    let covers = |part: &&str| matches!(*part, "*" | "external:*" | "central");
    parts.iter().any(covers) && !parts.contains(&"!central")
}

/// Elements by their local name: settings come with a namespace or without.
trait LocalName {
    fn has_tag_name_of(&self, name: &str) -> bool;
}

impl LocalName for Node<'_, '_> {
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

fn child_text(node: Node<'_, '_>, name: &str) -> String {
    text_of(node.children().find(|child| child.has_tag_name_of(name)))
}

fn named_in(node: Node<'_, '_>, name: &str) -> String {
    text_of(node.descendants().find(|below| below.has_tag_name_of(name)))
}

fn url_of(node: Node<'_, '_>) -> String {
    child_text(node, "url")
}

fn text_of(node: Option<Node<'_, '_>>) -> String {
    node.and_then(|node| node.text()).unwrap_or_default().trim().to_owned()
}

fn is_http(url: &str) -> bool {
    ["http://", "https://"].iter().any(|start| url.len() > start.len() && url.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_become_a_path() {
        let jar = Coordinates::jar("io.example.test", "thing-linux-amd64", "17.7.0");
        assert_eq!(jar.file_name(), "thing-linux-amd64-17.7.0.jar");
        let url = "http://mirror/m2/io/example/test/thing-linux-amd64/17.7.0/thing-linux-amd64-17.7.0.jar";
        assert_eq!(jar.url("http://mirror/m2/").expect("url"), url);
        let zip = Coordinates::zip("io.example", "dist", "5.6.14", "linux-amd64");
        assert_eq!(zip.file_name(), "dist-5.6.14-linux-amd64.zip");
        let url = "http://mirror/io/example/dist/5.6.14/dist-5.6.14-linux-amd64.zip";
        assert_eq!(zip.url("http://mirror").expect("url"), url);
    }

    #[test]
    fn the_variable_wins_and_is_checked() {
        assert_eq!(choose(Some("http://here/m2".into()), None).expect("named"), "http://here/m2");
        assert_eq!(choose(Some("here".into()), None).expect_err("no address").exit_code(), 2);
        assert!(is_http(&choose(None, None).expect("default")));
    }

    #[test]
    fn a_repository_lists_versions() {
        let text = "<metadata><artifactId>x</artifactId><versioning><latest>2.0</latest>\
                    <versions><version>1.0</version><version> 2.0 </version></versions></versioning></metadata>";
        assert_eq!(listed(text), Some(vec!["1.0".to_owned(), "2.0".to_owned()]));
        assert_eq!((listed("<html/>"), listed("nothing")), (None, None));
    }

    #[test]
    fn settings_name_a_mirror() {
        let text = r#"<settings xmlns="some"><mirrors>
            <mirror><mirrorOf>*,!central</mirrorOf><url>http://not/this</url></mirror>
            <mirror><mirrorOf>external:*</mirrorOf><url> http://mirror/all </url></mirror></mirrors></settings>"#;
        assert_eq!(from_settings(text).expect("settings").as_deref(), Some("http://mirror/all"));
    }

    #[test]
    fn settings_name_a_repository_of_an_active_profile() {
        let text = "<settings><profiles>
            <profile><id>off</id><repositories><repository><url>http://off</url></repository></repositories></profile>
            <profile><id>on</id><repositories><repository><url>http://on</url></repository></repositories></profile>
            </profiles><activeProfiles><activeProfile>on</activeProfile></activeProfiles></settings>";
        assert_eq!(from_settings(text).expect("settings").as_deref(), Some("http://on"));
        assert_eq!(from_settings("<settings/>").expect("empty"), None);
        assert!(from_settings("<settings>").expect_err("broken").hint.is_some());
    }
}

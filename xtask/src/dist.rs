//! `cargo xtask dist`: what a release hands out, into `target/dist`: for each target an archive with the program, its manual
//! pages and completions, and a Debian package; a Dockerfile, a list of what the program is made of, and checksums.
//!
//! Two calls on one commit are to give the same bytes, in whatever folder it is checked out: paths of the build are rewritten, entries of archives
//! are sorted, and every time in them is that of the commit.

mod archive;
mod binary;
mod deb;
mod sbom;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use humdrum_provision::checksum::sha256_of;

use archive::Entry;

/// Targets without a name given: the host's own with all engines, and static ones, which run on any Linux.
const TARGETS: [&str; 3] =
    ["x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"];

/// What is made of one commit.
#[derive(Clone, Debug)]
pub struct Release {
    /// The workspace.
    pub root: PathBuf,
    /// Where everything goes.
    pub out: PathBuf,
    /// The program's version.
    pub version: String,
    /// Seconds since 1970 of the commit, or SOURCE_DATE_EPOCH.
    pub epoch: u64,
}

/// Makes everything for the targets named, or for those of `TARGETS` that can be built here.
pub fn run(root: &Path, targets: &[&str]) -> ExitCode {
    match dist(root, targets) {
        Ok(files) => {
            files.iter().for_each(|file| println!("{}", file.display()));
            ExitCode::SUCCESS
        }
        Err(complaint) => {
            eprintln!("dist: {complaint}");
            ExitCode::FAILURE
        }
    }
}

fn dist(root: &Path, named: &[&str]) -> Result<Vec<PathBuf>, String> {
    let release = Release {
        root: root.to_path_buf(),
        out: root.join("target/dist"),
        version: version(root)?,
        epoch: epoch(root)?,
    };
    let targets = if named.is_empty() { &TARGETS[..] } else { named };
    // A target that was asked for by name is not left out in silence.
    let mut built = Vec::new();
    for target in targets {
        match binary::lacks(target) {
            Some(lack) if named.is_empty() => eprintln!("dist: {target} is left out: {lack}"),
            Some(lack) => return Err(format!("{target} cannot be built: {lack}")),
            None => built.push((*target, binary::build(&release, target)?)),
        }
    }
    let Some(runs_here) = built.iter().find(|(target, _)| target.starts_with(std::env::consts::ARCH)) else {
        return Err(
            "no target runs on this host, and the program writes its own manual: name one that does".into()
        );
    };
    let manual = manual(&release, &runs_here.1)?;
    let _ = std::fs::remove_dir_all(release.out.join("files"));
    let out = release.out.join("files");
    std::fs::create_dir_all(&out).map_err(cannot(&out))?;
    let mut files = Vec::new();
    for (target, program) in &built {
        let program = std::fs::read(program).map_err(cannot(program))?;
        files.push(write(
            &out,
            &format!("humdrum-{}-{target}.tar.xz", release.version),
            &tarball(&release, target, &program, &manual)?,
        )?);
        let (name, package) = deb::package(&release, target, &program, &manual)?;
        files.push(write(&out, &name, &package)?);
        files.push(write(
            &out,
            &format!("humdrum-{}-{target}.cdx.json", release.version),
            sbom::of(&release, target)?.as_bytes(),
        )?);
    }
    files.push(write(
        &out,
        "Dockerfile",
        &std::fs::read(root.join("xtask/dist/Dockerfile")).map_err(cannot(root))?,
    )?);
    files.sort();
    let mut sums = String::new();
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        sums += &format!("{}  {name}\n", sha256_of(file).map_err(cannot(file))?);
    }
    files.push(write(&out, "SHA256SUMS", sums.as_bytes())?);
    Ok(files)
}

/// The archive's one folder: program, manual, completions, licences, and where to read on.
fn tarball(release: &Release, target: &str, program: &[u8], manual: &[Entry]) -> Result<Vec<u8>, String> {
    let top = format!("humdrum-{}-{target}", release.version);
    let mut entries = vec![Entry::program(&format!("{top}/bin/humdrum"), program.to_vec())];
    for name in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        let path = release.root.join(name);
        entries.push(Entry::file(&format!("{top}/{name}"), std::fs::read(&path).map_err(cannot(&path))?));
    }
    entries.extend(
        manual.iter().map(|entry| Entry::file(&format!("{top}/share/{}", entry.path), entry.bytes.clone())),
    );
    archive::tar_xz(entries, release.epoch)
}

/// Manual pages and completions, where a system has them below `share`; from the program itself.
fn manual(release: &Release, program: &Path) -> Result<Vec<Entry>, String> {
    let pages = release.out.join("man");
    let _ = std::fs::remove_dir_all(&pages);
    said(Command::new(program).arg("man").arg(&pages))?;
    let mut entries = Vec::new();
    for page in std::fs::read_dir(&pages).map_err(cannot(&pages))? {
        let page = page.map_err(cannot(&pages))?.path();
        let name = page.file_name().unwrap_or_default().to_string_lossy().into_owned();
        entries.push(Entry::file(&format!("man/man1/{name}"), std::fs::read(&page).map_err(cannot(&page))?));
    }
    for (shell, path) in [
        ("bash", "bash-completion/completions/humdrum"),
        ("zsh", "zsh/vendor-completions/_humdrum"),
        ("fish", "fish/vendor_completions.d/humdrum.fish"),
    ] {
        entries.push(Entry::file(path, said(Command::new(program).args(["completions", shell]))?));
    }
    Ok(entries)
}

fn version(root: &Path) -> Result<String, String> {
    let metadata = cargo_metadata::MetadataCommand::new().current_dir(root).no_deps().exec();
    let metadata = metadata.map_err(|error| error.to_string())?;
    let package = metadata.packages.iter().find(|package| package.name.as_str() == "humdrum");
    package.map(|package| package.version.to_string()).ok_or_else(|| "there is no package `humdrum`".into())
}

fn epoch(root: &Path) -> Result<u64, String> {
    let given = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(given) => given.into_bytes(),
        Err(_) => said(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root))?,
    };
    let text = String::from_utf8_lossy(&given);
    text.trim().parse().map_err(|_| format!("SOURCE_DATE_EPOCH is no number of seconds: {}", text.trim()))
}

/// What a command prints, which must succeed.
fn said(command: &mut Command) -> Result<Vec<u8>, String> {
    let shown = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("cannot start {shown}: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(format!("{shown} failed: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, String> {
    let path = folder.join(name);
    std::fs::write(&path, bytes).map_err(cannot(&path))?;
    Ok(path)
}

fn cannot(path: &Path) -> impl Fn(std::io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}

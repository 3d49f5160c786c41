//! The scripts that Slurm runs. Values are checked rather than quoted, because Slurm reads its own lines by rules of its own.

use std::path::{Path, PathBuf};

use humdrum_model::Fault;

use crate::args::SlurmOptions;

/// What the scripts need to know.
#[derive(Clone, Debug)]
pub struct Scripts<'a> {
    /// The user's options.
    pub options: &'a SlurmOptions,
    /// The fleet's folder, an absolute path.
    pub folder: PathBuf,
    /// This program, an absolute path.
    pub program: PathBuf,
    /// Where the user is: the plan's paths are relative to it.
    pub directory: PathBuf,
    /// Shards in all.
    pub shards: u32,
}

impl Scripts<'_> {
    /// Refuses what a line of Slurm's cannot hold.
    ///
    /// # Errors
    /// Usage, with the value.
    pub fn check(&self) -> Result<(), Fault> {
        let SlurmOptions { partition, constraint, account, time, archive, .. } = self.options;
        let paths = [&self.folder, &self.program, &self.directory];
        let paths = paths.into_iter().chain(archive).map(|path| path.display().to_string());
        let words = [partition, constraint, account, time].into_iter().flatten().cloned();
        paths.chain(words).try_for_each(|value| check(&value))
    }

    /// The array job.
    pub fn shard(&self) -> String {
        let SlurmOptions { hosts, archive, .. } = self.options;
        let (shards, folder, program) = (self.shards, self.folder.display(), self.program.display());
        let unpack = archive.as_ref().map_or_else(String::new, |archive| {
            format!("{program} unpack {} || exit\n", absolute(&self.directory, archive).display())
        });
        format!(
            "#!/bin/bash\n\
             # Each task measures one of {shards} shards. A task that is started again goes on where it was.\n\
             #SBATCH --array=1-{shards}%{hosts}\n\
             #SBATCH --nodes=1\n\
             #SBATCH --exclusive\n\
             #SBATCH --mem=0\n\
             #SBATCH --requeue\n\
             {common}\
             #SBATCH --output={folder}/logs/shard-%a.log\n\n\
             {unpack}\
             # In the place of the shell, so that Slurm's signals reach it.\n\
             exec {program} --progress plain fleet shard {folder} \"$SLURM_ARRAY_TASK_ID\"\n",
            common = self.common("shards", self.options.time.as_deref()),
        )
    }

    /// The job that puts the shards together.
    pub fn merge(&self) -> String {
        let (folder, program) = (self.folder.display(), self.program.display());
        format!(
            "#!/bin/bash\n\
             # Puts the shards together that there are.\n\
             #SBATCH --nodes=1\n\
             #SBATCH --requeue\n\
             {common}\
             #SBATCH --output={folder}/logs/merge.log\n\n\
             {program} --progress plain fleet fetch {folder}\n\
             # 1 and 4 are verdicts. Anything else is a failure of the job.\n\
             case $? in 0 | 1 | 4) exit 0 ;; *) exit 2 ;; esac\n",
            common = self.common("merge", None),
        )
    }

    /// Lines of both.
    fn common(&self, job: &str, time: Option<&str>) -> String {
        let SlurmOptions { partition, constraint, account, .. } = self.options;
        let mut lines = format!(
            "#SBATCH --job-name=humdrum-{job}\n#SBATCH --open-mode=append\n#SBATCH --chdir={}\n",
            self.directory.display()
        );
        let given = [
            ("partition", partition.as_deref()),
            ("constraint", constraint.as_deref()),
            ("account", account.as_deref()),
            ("time", time),
        ];
        for (name, value) in given {
            if let Some(value) = value {
                lines += &format!("#SBATCH --{name}={value}\n");
            }
        }
        lines
    }
}

fn absolute(directory: &Path, path: &Path) -> PathBuf {
    // An absolute path replaces the one that it is joined to.
    directory.join(path)
}

/// Letters, digits and signs that neither the shell nor Slurm reads as something else; `&` and `|` are of constraints.
fn check(value: &str) -> Result<(), Fault> {
    let plain = |c: char| c.is_alphanumeric() || "/._-+:=,@&|".contains(c);
    let is_path = value.starts_with('/');
    if !value.is_empty() && value.chars().all(|c| plain(c) && !(is_path && "&|".contains(c))) {
        return Ok(());
    }
    Err(Fault::usage(format!("`{value}` has signs that a script for Slurm cannot hold"))
        .hint("use letters, digits and `/._-+:=,@`: without spaces, quotes or `%`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> SlurmOptions {
        SlurmOptions {
            plan: "plan.toml".into(),
            hosts: 8,
            per_host: 2,
            out: None,
            partition: None,
            constraint: None,
            account: None,
            time: None,
            archive: None,
            dry_run: false,
            no_submit: false,
        }
    }

    fn scripts(options: &SlurmOptions) -> Scripts<'_> {
        Scripts {
            options,
            folder: "/shared/fleet".into(),
            program: "/shared/bin/humdrum".into(),
            directory: "/home/me".into(),
            shards: 16,
        }
    }

    #[test]
    fn the_plain_array_job() {
        insta::assert_snapshot!(scripts(&options()).shard());
    }

    #[test]
    fn the_array_job_with_everything() {
        let options = SlurmOptions {
            partition: Some("bench".into()),
            constraint: Some("zen3|zen4".into()),
            account: Some("lab".into()),
            time: Some("2:00:00".into()),
            archive: Some("builds.tar.gz".into()),
            ..options()
        };
        insta::assert_snapshot!(scripts(&options).shard());
    }

    #[test]
    fn the_merge() {
        insta::assert_snapshot!(scripts(&options()).merge());
    }

    #[test]
    fn what_a_script_cannot_hold_is_refused() {
        for value in ["", "a b", "$(id)", "a\nb", "50%", "it's", "a;b", "\"x\"", "/tmp/a|b"] {
            let options = SlurmOptions { partition: Some(value.into()), ..options() };
            let fault = scripts(&options).check().unwrap_err();
            assert_eq!(fault.exit_code(), 2, "{value}");
        }
        let plain = options();
        assert!(scripts(&plain).check().is_ok());
        let spaced = Scripts { folder: "/shared/my fleet".into(), ..scripts(&plain) };
        assert!(spaced.check().is_err());
    }
}

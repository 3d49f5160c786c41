//! Words of a report on imported results, which nobody can measure again here.

use humdrum_model::{Imported, Plan, Results, Summary};

use crate::number::duration;
use crate::text::{quoted, redact};

/// What is known of the host.
pub(crate) fn host(summary: &Summary) -> String {
    match summary.host.cpu_model.trim() {
        "" => "not said by the imported files".to_owned(),
        told => format!("{told}, as it was said at the import"),
    }
}

/// What was read.
pub(crate) fn workload(results: &Results, imported: &Imported) -> String {
    format!(
        "imported by the readers {}, {} files, {} of runs",
        imported.readers().join(", "),
        imported.files.len(),
        duration(results.seconds)
    )
}

/// The command that imports the same again; of many files, the first two of each subject.
pub(crate) fn command(plan: &Plan, imported: &Imported) -> String {
    const SHOWN: usize = 2;
    let mut words = vec!["humdrum".to_owned(), "import".to_owned()];
    for (number, subject) in plan.subjects.iter().enumerate() {
        let own: Vec<&str> = imported
            .files
            .iter()
            .filter(|file| file.subjects == [number])
            .map(|file| file.path.as_str())
            .collect();
        words.extend(own.iter().take(SHOWN).map(|path| quoted(&redact(path))));
        words.extend((own.len() > SHOWN).then(|| format!("… ({} more)", own.len() - SHOWN)));
        words.extend((!own.is_empty()).then(|| format!("--subject {}", quoted(&redact(&subject.typed())))));
    }
    let tables = imported.files.iter().filter(|file| file.subjects.len() > 1);
    words.extend(tables.map(|file| quoted(&redact(&file.path))));
    words.join(" ")
}

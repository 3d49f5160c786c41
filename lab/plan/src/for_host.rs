//! What a plan was sized for: the table `[host]` of its file. A run takes no notice of it; `--dry-run` says what the plan
//! costs on such a host, and what this one lacks.

use humdrum_contract::Outcome;
use humdrum_model::memory_text;
use serde::{Deserialize, Serialize};

use crate::quantity::parse_bytes;

/// The keys of `[host]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForHost {
    /// What it is, in a few words.
    pub name: String,
    /// Its processors.
    pub processors: u32,
    /// Its memory (`128G`).
    pub memory: String,
}

impl ForHost {
    /// Bytes of its memory.
    ///
    /// # Errors
    /// Usage: not an amount.
    pub fn memory_bytes(&self) -> Outcome<u64> {
        parse_bytes(&self.memory).map_err(|fault| fault.at("memory of [host]"))
    }

    /// Lines of the dry run: the host, and what this one, with so many processors and bytes, lacks.
    ///
    /// # Errors
    /// As `memory_bytes`.
    pub fn dry_run(&self, processors: u32, memory_bytes: u64) -> Outcome<String> {
        let gibibytes = |bytes: u64| ((bytes as f64 / f64::from(1 << 30)).round() as u64) << 30;
        let wanted = self.memory_bytes()?;
        let mut text = format!(
            "sized for             {}: {} processors, {} of memory\n",
            self.name,
            self.processors,
            memory_text(wanted)
        );
        // A host of 128G tells of a little less: the kernel keeps some for itself.
        if processors < self.processors || memory_bytes < wanted / 10 * 9 {
            text.push_str(&format!(
                "this host             {processors} processors, {} of memory: less, so that the plan's scale does not fit it\n",
                memory_text(gibibytes(memory_bytes))
            ));
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_host_is_told_that_it_is_one() {
        let host = ForHost { name: "box".into(), processors: 8, memory: "32G".into() };
        let told = |processors, memory| host.dry_run(processors, memory).expect("told");
        assert_eq!(told(8, 31 << 30), "sized for             box: 8 processors, 32G of memory\n");
        assert!(told(2, 64 << 30).contains("this host             2 processors, 64G of memory: less"));
        assert!(told(48, 16 << 30).contains("less"));
        let odd = ForHost { memory: "much".into(), ..host };
        assert!(odd.dry_run(1, 1).unwrap_err().to_string().starts_with("memory of [host]: `much`"));
    }
}

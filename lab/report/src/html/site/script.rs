//! The script of a site: the search on the first page and the filters of the maps. It reads what the page shows and asks nothing of
//! anybody, so that it works from a file system.

use super::super::frame::Script;

/// `site.js` beside this file. A test says what its checksum is when it has changed.
pub(super) const SCRIPT: Script =
    Script { text: include_str!("site.js"), sha256: "KmfLM5LXDLTGC3H8xfvZl4xVJEOkniVVqV/mQznZkr8=" };

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::SCRIPT;

    #[test]
    fn the_policy_allows_this_script() {
        let digest = Sha256::digest(SCRIPT.text.as_bytes());
        assert_eq!(base64(&digest), SCRIPT.sha256, "put this into script.rs");
        assert!(!SCRIPT.text.contains("</"), "the script ends the element");
        for word in ["fetch", "XMLHttp", "eval", "innerHTML", "http"] {
            assert!(!SCRIPT.text.contains(word), "{word}");
        }
    }

    fn base64(bytes: &[u8]) -> String {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let group = |three: &[u8]| {
            let number = (0..3).fold(0_usize, |all, at| all << 8 | usize::from(*three.get(at).unwrap_or(&0)));
            let digit = |at: usize| {
                if at > three.len() { '=' } else { char::from(DIGITS[number >> (18 - 6 * at) & 63]) }
            };
            (0..4).map(digit).collect::<String>()
        };
        bytes.chunks(3).map(group).collect()
    }
}

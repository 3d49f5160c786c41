//! Reads a packet's fields one after the other. Every read is checked against the packet's end, because the
//! other side may not be a MySQL server.

use humdrum_contract::Outcome;
use humdrum_model::Fault;

/// First byte of a NULL in place of a length.
const NULL: u8 = 0xfb;
/// Longest length that is its own first byte.
const SHORT_MAX: u8 = 250;

/// What is left of a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    pub(crate) fn new(packet: &'a [u8]) -> Self {
        Self(packet)
    }

    pub(crate) fn rest(self) -> &'a [u8] {
        self.0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Outcome<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or_else(too_short)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Outcome<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk::<N>().ok_or_else(too_short)?;
        self.0 = rest;
        Ok(*bytes)
    }

    pub(crate) fn u8(&mut self) -> Outcome<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Outcome<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Outcome<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Outcome<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// A length-encoded integer: one byte up to 250, else two, three or eight bytes after 252, 253 or 254.
    pub(crate) fn length(&mut self) -> Outcome<u64> {
        match self.u8()? {
            short @ 0..=SHORT_MAX => Ok(u64::from(short)),
            0xfc => self.u16().map(u64::from),
            0xfd => self.array::<3>().map(|[a, b, c]| u64::from(u32::from_le_bytes([a, b, c, 0]))),
            0xfe => self.u64(),
            other => Err(unreadable(&format!("{other:#x} where a length was due"))),
        }
    }

    /// Bytes with their length in front.
    pub(crate) fn string(&mut self) -> Outcome<&'a [u8]> {
        let length = self.length()?;
        self.bytes(usize::try_from(length).map_err(|_| too_short())?)
    }

    /// Bytes with their length in front, or NULL.
    pub(crate) fn nullable_string(&mut self) -> Outcome<Option<&'a [u8]>> {
        if self.0.first() == Some(&NULL) {
            self.0 = &self.0[1..];
            return Ok(None);
        }
        self.string().map(Some)
    }

    /// Bytes up to a zero, which is left out; all that is left where there is none, as old servers send.
    pub(crate) fn until_zero(&mut self) -> &'a [u8] {
        let end = self.0.iter().position(|byte| *byte == 0);
        let (text, rest) = match end {
            Some(end) => (&self.0[..end], &self.0[end + 1..]),
            None => (self.0, &self.0[..0]),
        };
        self.0 = rest;
        text
    }
}

fn too_short() -> Fault {
    unreadable("a packet ends too early")
}

/// The fault for a packet that cannot be decoded.
pub(crate) fn unreadable(why: &str) -> Fault {
    Fault::crash(format!("the server's answer cannot be read: {why}"))
        .hint("check that a MySQL or MariaDB server listens there")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_four_sizes() {
        let mut all = Cursor::new(&[250, 0xfc, 1, 2, 0xfd, 1, 2, 3, 0xfe, 1, 0, 0, 0, 0, 0, 0, 1]);
        let lengths = [(); 4].map(|()| all.length().expect("a length"));
        assert_eq!(lengths, [250, 0x0201, 0x03_0201, 0x0100_0000_0000_0001]);
        assert!(all.length().is_err() && Cursor::new(&[0xff]).length().is_err());
    }

    #[test]
    fn a_length_beyond_the_end_is_a_fault() {
        assert!(Cursor::new(&[5, 1, 2]).string().is_err());
        assert!(Cursor::new(&[0xfe, 255, 255, 255, 255, 255, 255, 255, 255, 1]).string().is_err());
        assert_eq!(Cursor::new(&[0xfb]).nullable_string().expect("null"), None);
    }

    #[test]
    fn text_ends_at_a_zero_or_at_the_end() {
        let mut both = Cursor::new(b"one\0two");
        assert_eq!((both.until_zero(), both.until_zero(), both.is_empty()), (&b"one"[..], &b"two"[..], true));
    }
}

//! The functions of a store that the loops call, as a trait, so that the loops can be measured over a store
//! that does nothing.

/// Most keys that one `multi_get` takes.
pub(crate) const MULTI_GET_MAX: usize = 64;

/// A store; an error is what the library says.
pub(crate) trait Kv: Sync {
    /// Puts an entry.
    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), String>;
    /// Shows the value of a key to `see`; whether there is one.
    fn get(&self, key: &[u8], see: impl FnOnce(&[u8])) -> Result<bool, String>;
    /// Shows the values of several keys, which lie one after another in `keys`; how many there are.
    fn multi_get(&self, keys: &[u8], key_bytes: usize, see: impl FnMut(usize, &[u8])) -> Result<u64, String>;
    /// Seeks the first key at or after `from` (the very first for `None`) and shows at most `entries` entries,
    /// stepping backwards or forwards; how many there were.
    fn scan(
        &self,
        from: Option<&[u8]>,
        entries: u64,
        backwards: bool,
        see: impl FnMut(&[u8], &[u8]),
    ) -> Result<u64, String>;
}

/// Does nothing: what is left of an operation over this is the client's own share.
#[cfg(test)]
pub(crate) struct Null;

#[cfg(test)]
impl Kv for Null {
    #[inline(never)]
    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), String> {
        std::hint::black_box((key, value));
        Ok(())
    }

    #[inline(never)]
    fn get(&self, key: &[u8], see: impl FnOnce(&[u8])) -> Result<bool, String> {
        see(std::hint::black_box(key));
        Ok(true)
    }

    #[inline(never)]
    fn multi_get(
        &self,
        keys: &[u8],
        key_bytes: usize,
        mut see: impl FnMut(usize, &[u8]),
    ) -> Result<u64, String> {
        keys.chunks_exact(key_bytes).enumerate().for_each(|(number, key)| see(number, key));
        Ok((keys.len() / key_bytes) as u64)
    }

    #[inline(never)]
    fn scan(
        &self,
        from: Option<&[u8]>,
        entries: u64,
        _backwards: bool,
        mut see: impl FnMut(&[u8], &[u8]),
    ) -> Result<u64, String> {
        let key = std::hint::black_box(from.unwrap_or_default());
        (0..entries).for_each(|_| see(key, key));
        Ok(entries)
    }
}

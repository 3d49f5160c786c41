//! RSA encryption with OAEP padding (RFC 8017, 7.1.1, with SHA-1), as far as `caching_sha2_password` needs
//! it: one short message for a public key that came as PEM. There is no private key here, so the time of
//! these steps can reveal only the length of a password.

use std::fs::File;
use std::io::Read;

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use num_bigint::BigUint;
use sha1::{Digest, Sha1};

use crate::auth::xor;
use crate::cursor::unreadable;

const HASH_BYTES: usize = 20;
/// A server makes keys of 256 bytes; what is far longer would only keep us busy.
const MODULUS_BYTES_MAX: usize = 2048;
const EXPONENT_BYTES_MAX: usize = 8;

/// A public key.
#[derive(Debug)]
pub(crate) struct PublicKey {
    modulus: BigUint,
    exponent: BigUint,
    /// Bytes of the modulus.
    bytes: usize,
}

impl PublicKey {
    /// A key in PEM, as `BEGIN PUBLIC KEY`.
    pub(crate) fn read(pem: &[u8]) -> Outcome<Self> {
        let der = base64(pem).ok_or_else(bad_key)?;
        let (modulus, exponent) = numbers(&der).ok_or_else(bad_key)?;
        let fits = (1..=MODULUS_BYTES_MAX).contains(&modulus.len()) && exponent.len() <= EXPONENT_BYTES_MAX;
        let odd = modulus.last().is_some_and(|last| last % 2 == 1);
        if !fits || !odd {
            return Err(bad_key());
        }
        let (bytes, number) = (modulus.len(), BigUint::from_bytes_be);
        Ok(Self { modulus: number(modulus), exponent: number(exponent), bytes })
    }

    /// Encrypts a short message.
    pub(crate) fn encrypt(&self, message: &[u8]) -> Outcome<Vec<u8>> {
        let mut seed = [0; HASH_BYTES];
        let random = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut seed));
        random.map_err(|error| Fault::environment(format!("no random bytes for the log-in: {error}")))?;
        self.encrypt_with(message, &seed)
    }

    /// ```text
    ///   data block    hash of no label │ 0 … 0 │ 1 │ message
    ///   padded        0 │ seed ⊕ mask(masked block) │ data block ⊕ mask(seed)
    /// ```
    fn encrypt_with(&self, message: &[u8], seed: &[u8; HASH_BYTES]) -> Outcome<Vec<u8>> {
        let block_bytes = self.bytes.checked_sub(1 + HASH_BYTES).ok_or_else(bad_key)?;
        let zeros = block_bytes.checked_sub(HASH_BYTES + 1 + message.len()).ok_or_else(|| {
            Fault::usage("the password is too long for the server's key")
                .hint("connect through the Unix socket")
        })?;
        let block = [&Sha1::digest(b"")[..], &vec![0; zeros], &[1], message].concat();
        let masked_block = xor(&block, &mask(seed, block_bytes));
        let masked_seed = xor(seed, &mask(&masked_block, HASH_BYTES));
        let padded = BigUint::from_bytes_be(&[masked_seed, masked_block].concat());
        let encrypted = padded.modpow(&self.exponent, &self.modulus).to_bytes_be();
        let leading_zeros = vec![0; self.bytes - encrypted.len()];
        Ok([leading_zeros, encrypted].concat())
    }
}

/// MGF1: hashes of the seed and a counter, one after the other.
fn mask(seed: &[u8], bytes: usize) -> Vec<u8> {
    let blocks = (0..bytes.div_ceil(HASH_BYTES) as u32)
        .flat_map(|counter| Sha1::new().chain_update(seed).chain_update(counter.to_be_bytes()).finalize());
    blocks.take(bytes).collect()
}

/// The bytes between a PEM's first and last line.
fn base64(pem: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(pem).ok()?;
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0u32, 0);
    for letter in text.lines().filter(|line| !line.starts_with("-----")).flat_map(str::bytes) {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' | b'\r' | b' ' | 0 => continue,
            _ => return None,
        };
        (bits, held) = (bits << 6 | u32::from(six), held + 6);
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    Some(bytes)
}

/// Modulus and exponent of a SubjectPublicKeyInfo: a sequence of an algorithm and a bit string that holds a
/// sequence of the two.
fn numbers(der: &[u8]) -> Option<(&[u8], &[u8])> {
    const INTEGER: u8 = 0x02;
    const BIT_STRING: u8 = 0x03;
    const SEQUENCE: u8 = 0x30;
    let (info, _) = element(der, SEQUENCE)?;
    let (_algorithm, rest) = element(info, SEQUENCE)?;
    let (bits, _) = element(rest, BIT_STRING)?;
    let (key, _) = element(bits.strip_prefix(&[0])?, SEQUENCE)?;
    let (modulus, rest) = element(key, INTEGER)?;
    let (exponent, _) = element(rest, INTEGER)?;
    Some((without_zeros(modulus), without_zeros(exponent)))
}

/// Contents of the first element, which must have `tag`, and what follows it.
fn element(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let rest = der.strip_prefix(&[tag])?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81..=0x83 => {
            let (digits, rest) = rest.split_at_checked(usize::from(first - 0x80))?;
            (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
        }
        _ => return None,
    };
    rest.split_at_checked(length)
}

fn without_zeros(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    &number[zeros..]
}

fn bad_key() -> Fault {
    unreadable("its public key is not one")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A key that was made for this test and protects nothing.
    const PEM: &str = "-----BEGIN PUBLIC KEY-----\n\
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCkdczPh7Dr/0/nj/RBheh7dXda\n\
        IkeqD9JhAPtlNxtHNcbRayKlH5BvWdZLyYsHTIfFJy7RtdtznNb72BcH8ij9rxPu\n\
        xmUwvLtidoNyplV8cEfm4mDbyjlWyb9slnSSiRDopXf22Zr5OgTefvfRNLN4p/Yl\n\
        0Y5TpbdIw60rypkG4QIDAQAB\n\
        -----END PUBLIC KEY-----\n";
    const SECRET_EXPONENT: &str = "025428b2479999bde3c3c3a611c773a34be684c0378390f5c9a9d9e575024ddfd510e2137b8316e8\
        7cbd2c158e826bf30037add20a613121e7696985e9f6e3ddaded5b072d06217b659b85ab9778dca4bdaad642f1c8f73a1981\
        22195b4d80f0f80f1692b4cd726a2f06f26ac78fc15c0e792bd02ee3abdc8ae414158960ee01";

    /// What the holder of the secret key reads: the padding taken off by the book.
    fn decrypt(key: &PublicKey, encrypted: &[u8]) -> Vec<u8> {
        let secret = BigUint::parse_bytes(SECRET_EXPONENT.as_bytes(), 16).expect("a number");
        let number = BigUint::from_bytes_be(encrypted).modpow(&secret, &key.modulus).to_bytes_be();
        assert!(number.len() < key.bytes, "the first byte is zero");
        let padded = [vec![0; key.bytes - 1 - number.len()], number].concat();
        let (masked_seed, masked_block) = padded.split_at(HASH_BYTES);
        let seed = xor(masked_seed, &mask(masked_block, HASH_BYTES));
        let block = xor(masked_block, &mask(&seed, masked_block.len()));
        assert_eq!(block[..HASH_BYTES], Sha1::digest(b"")[..]);
        let one = HASH_BYTES + block[HASH_BYTES..].iter().position(|byte| *byte != 0).expect("a one");
        assert_eq!(block[one], 1);
        block[one + 1..].to_vec()
    }

    #[test]
    fn the_holder_of_the_key_reads_the_message() {
        let key = PublicKey::read(PEM.as_bytes()).expect("a key");
        assert_eq!((key.bytes, key.exponent.clone()), (128, BigUint::from(65537u32)));
        for message in [&b""[..], b"secret\0", &[0; 86]] {
            let encrypted = key.encrypt(message).expect("encrypts");
            assert_eq!(encrypted.len(), 128);
            assert_eq!(decrypt(&key, &encrypted), message);
        }
        assert!(key.encrypt(&[0; 87]).is_err(), "no room for it");
    }

    /// MGF1 of RFC 8017 with SHA-1, as other implementations have it.
    #[test]
    fn masks_are_the_standards() {
        assert_eq!(mask(b"foo", 3), [0x1a, 0xc9, 0x07]);
        assert_eq!(mask(b"bar", 5), [0xbc, 0x0c, 0x65, 0x5e, 0x01]);
    }

    proptest! {
        #[test]
        fn no_key_is_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert!(PublicKey::read(&bytes).is_err());
        }

        #[test]
        fn a_broken_key_is_no_panic(at in 27usize..200, letter in b'A'..=b'Z') {
            let mut pem = PEM.as_bytes().to_vec();
            pem[at] = letter;
            if let Ok(key) = PublicKey::read(&pem) {
                let _ = key.encrypt(b"secret");
            }
        }
    }
}

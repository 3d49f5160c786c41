//! Keys of 4 GiB and more: lengths and depths are counted in 64 bits.
#![cfg(target_pointer_width = "64")]

/// Zeros that are never written take no memory where the system maps one page of zeros for all that are read.
#[test]
#[ignore = "compares gigabytes: half a minute, and 5 GiB of addresses"]
fn keys_beyond_4_gib() {
    const LIMIT: usize = 1 << 32;
    let zeros = vec![0u8; LIMIT + 9];
    let mut rows: Vec<&[u8]> = (0..200).map(|len| &zeros[..len * 7919 % 200]).collect();
    rows.extend([LIMIT + 9, LIMIT - 1, LIMIT + 1, LIMIT].map(|len| &zeros[..len]));
    let order: Vec<u32> = skipsort::sort_indices(&rows);
    assert!(order.is_sorted_by_key(|row| rows[*row as usize].len()));
    skipsort::sort(&mut rows);
    assert!(rows.is_sorted_by_key(|row| row.len()));
    assert_eq!(rows.last().map(|row| row.len()), Some(LIMIT + 9));
}

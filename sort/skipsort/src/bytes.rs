//! What can be sorted: anything that gives bytes.

use alloc::borrow::{Cow, ToOwned};
use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A value that is ordered by its bytes.
///
/// Implemented for byte slices, strings, arrays and vectors of bytes and the usual pointers to them, and with the feature
/// `std` for paths and strings of the operating system (as they are encoded: the order of bytes, not of path components).
/// For your own type it is one line; for a field of it use
/// [`skip_sort_by_key`](crate::SkipSort::skip_sort_by_key).
///
/// `bytes` is called more than once per value and should give the same answer each time. If it does
/// not, the order of the result is unspecified, and the sort may panic; if it panics, every row is still
/// there once (the README says when they are as they were).
///
/// ```
/// struct Host { name: String, port: u16 }
/// impl skipsort::Bytes for Host {
///     fn bytes(&self) -> &[u8] { self.name.as_bytes() }
/// }
/// let mut hosts = vec![Host { name: "b".into(), port: 1 }, Host { name: "a".into(), port: 2 }];
/// skipsort::sort(&mut hosts);
/// assert_eq!(hosts[0].port, 2);
/// ```
pub trait Bytes {
    /// The key.
    fn bytes(&self) -> &[u8];

    /// How to make a `&Self` from the key, if that is all there is to it.
    #[doc(hidden)]
    fn from_key() -> FromKey<Self> {
        FromKey(None)
    }

    /// How to make a value from the key it gave, if that is all there is to it.
    #[doc(hidden)]
    fn rebuild() -> Rebuild<Self>
    where
        Self: Sized,
    {
        Rebuild(None)
    }
}

/// See [`Bytes::from_key`]; only this crate can make one that says yes.
///
/// The function's argument must be the key that a live `Self` gave.
#[doc(hidden)]
pub struct FromKey<T: ?Sized>(Option<unsafe fn(*const [u8]) -> *const T>);

/// See [`Bytes::rebuild`]; only this crate can make one that says yes.
///
/// The function's argument must be the key that a live `T` gave, and the result outlives no borrow
/// that the original did not outlive.
#[doc(hidden)]
pub struct Rebuild<T>(
    #[cfg_attr(not(target_pointer_width = "64"), expect(dead_code, reason = "for packed handles"))]
    pub(crate) Option<unsafe fn(*const [u8]) -> T>,
);

impl Bytes for [u8] {
    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        self
    }

    #[inline(always)]
    fn from_key() -> FromKey<Self> {
        FromKey(Some(|key| key))
    }
}

impl Bytes for str {
    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }

    #[inline(always)]
    fn from_key() -> FromKey<Self> {
        FromKey(Some(|key| key as *const str))
    }
}

impl<T: Bytes + ?Sized> Bytes for &T {
    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        (**self).bytes()
    }

    #[inline(always)]
    fn rebuild() -> Rebuild<Self> {
        Rebuild(T::from_key().0.map(|_| rebuild_reference as unsafe fn(*const [u8]) -> Self))
    }
}

/// # Safety
/// `key` came from a live `&'a T`.
#[inline(always)]
unsafe fn rebuild_reference<'a, T: Bytes + ?Sized>(key: *const [u8]) -> &'a T {
    match T::from_key().0 {
        // SAFETY: the caller vouches that a `&'a T` gave this key, and for the types that say yes a
        // reference to the key's bytes is a reference to the value.
        Some(make) => unsafe { &*make(key) },
        None => unreachable!("rebuild is offered only where from_key is"),
    }
}

impl<const N: usize> Bytes for [u8; N] {
    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        self
    }
}

/// Values that lead to other values whose bytes count.
macro_rules! through_deref {
    ($($(#[$note:meta])* [$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> Bytes for $type {
            #[inline(always)]
            fn bytes(&self) -> &[u8] {
                Bytes::bytes(&**self)
            }
        }
    )*};
}

through_deref! {
    [] Vec<u8>;
    [] String;
    [T: Bytes + ?Sized] &mut T;
    [T: Bytes + ?Sized] Box<T>;
    [T: Bytes + ?Sized] Rc<T>;
    [T: Bytes + ?Sized] Arc<T>;
    [T: Bytes + ?Sized + ToOwned] Cow<'_, T>;
}

/// Strings of the operating system, as they are encoded.
#[cfg(feature = "std")]
macro_rules! of_the_system {
    ($($type:ty),*) => {$(
        impl Bytes for $type {
            #[inline(always)]
            fn bytes(&self) -> &[u8] {
                let text: &std::ffi::OsStr = self.as_ref();
                text.as_encoded_bytes()
            }
        }
    )*};
}

#[cfg(feature = "std")]
of_the_system!(std::ffi::OsStr, std::ffi::OsString, std::path::Path, std::path::PathBuf);

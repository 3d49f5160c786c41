//! Every function of the library that is called, with its type.
//!
//! The types are those of DuckDB's C header (`duckdb.h`), the same from 1.2 to 1.5. `idx_t` is `u64`, `duckdb_state` and
//! `duckdb_type` are C enums; handles are pointers to structs that only the library looks into.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use humdrum_engine_worker::Library;

/// Declares opaque types of the library, which are only ever pointed to.
macro_rules! opaque {
    ($($name:ident)*) => {
        $(
            #[repr(C)]
            pub(super) struct $name { _opaque: [u8; 0] }
        )*
    };
}

opaque! { RawAppender RawChunk RawConfig RawConnection RawDatabase RawStatement RawType RawVector }

/// `DuckDBSuccess`.
pub(super) const SUCCESS: c_int = 0;

/// `duckdb_result`, which is passed by value. Its fields are the library's own.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "the library alone reads them")]
pub(super) struct RawResult {
    column_count: u64,
    row_count: u64,
    rows_changed: u64,
    columns: *mut c_void,
    error_message: *mut c_char,
    internal_data: *mut c_void,
}

impl RawResult {
    /// As the library expects it before a query.
    pub(super) fn empty() -> Self {
        let nowhere = std::ptr::null_mut();
        Self {
            column_count: 0,
            row_count: 0,
            rows_changed: 0,
            columns: nowhere,
            error_message: std::ptr::null_mut(),
            internal_data: nowhere,
        }
    }
}

/// Makes the struct of function pointers and the function that fills it.
macro_rules! symbols {
    ($($name:ident: fn($($in:ty),*) $(-> $out:ty)?;)*) => {
        /// The functions, as found in one library.
        pub(crate) struct Symbols {
            $(pub(super) $name: unsafe extern "C" fn($($in),*) $(-> $out)?,)*
        }

        impl Symbols {
            /// Finds all of them; `Err` lists those that the library lacks.
            pub(super) fn find(library: &Library) -> Result<Self, Vec<&'static str>> {
                let mut missing = Vec::new();
                $(
                    let $name = library.symbol(concat!(stringify!($name), "\0"));
                    if $name.is_none() { missing.push(stringify!($name)); }
                )*
                if !missing.is_empty() {
                    return Err(missing);
                }
                Ok(Self {
                    $($name: {
                        let found = $name.expect("none is missing");
                        // SAFETY: `found` is the address of the function of this name in a library that calls
                        // itself DuckDB, whose C header gives it this type (see this file's head); an address
                        // and a function pointer have the same size and representation here.
                        unsafe {
                            std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($in),*) $(-> $out)?>(found)
                        }
                    },)*
                })
            }
        }
    };
}

symbols! {
    duckdb_append_data_chunk: fn(*mut RawAppender, *mut RawChunk) -> c_int;
    duckdb_appender_create: fn(*mut RawConnection, *const c_char, *const c_char, *mut *mut RawAppender) -> c_int;
    duckdb_appender_destroy: fn(*mut *mut RawAppender) -> c_int;
    duckdb_appender_error: fn(*mut RawAppender) -> *const c_char;
    duckdb_appender_flush: fn(*mut RawAppender) -> c_int;
    duckdb_close: fn(*mut *mut RawDatabase);
    duckdb_connect: fn(*mut RawDatabase, *mut *mut RawConnection) -> c_int;
    duckdb_create_config: fn(*mut *mut RawConfig) -> c_int;
    duckdb_create_data_chunk: fn(*mut *mut RawType, u64) -> *mut RawChunk;
    duckdb_create_logical_type: fn(c_uint) -> *mut RawType;
    duckdb_data_chunk_get_size: fn(*mut RawChunk) -> u64;
    duckdb_data_chunk_get_vector: fn(*mut RawChunk, u64) -> *mut RawVector;
    duckdb_data_chunk_reset: fn(*mut RawChunk);
    duckdb_data_chunk_set_size: fn(*mut RawChunk, u64);
    duckdb_destroy_config: fn(*mut *mut RawConfig);
    duckdb_destroy_data_chunk: fn(*mut *mut RawChunk);
    duckdb_destroy_logical_type: fn(*mut *mut RawType);
    duckdb_destroy_prepare: fn(*mut *mut RawStatement);
    duckdb_destroy_result: fn(*mut RawResult);
    duckdb_disconnect: fn(*mut *mut RawConnection);
    duckdb_execute_prepared_streaming: fn(*mut RawStatement, *mut RawResult) -> c_int;
    duckdb_fetch_chunk: fn(RawResult) -> *mut RawChunk;
    duckdb_free: fn(*mut c_void);
    duckdb_library_version: fn() -> *const c_char;
    duckdb_open_ext: fn(*const c_char, *mut *mut RawDatabase, *mut RawConfig, *mut *mut c_char) -> c_int;
    duckdb_prepare: fn(*mut RawConnection, *const c_char, *mut *mut RawStatement) -> c_int;
    duckdb_prepare_error: fn(*mut RawStatement) -> *const c_char;
    duckdb_result_error: fn(*mut RawResult) -> *const c_char;
    duckdb_set_config: fn(*mut RawConfig, *const c_char, *const c_char) -> c_int;
    duckdb_vector_assign_string_element_len: fn(*mut RawVector, u64, *const c_char, u64);
    duckdb_vector_get_data: fn(*mut RawVector) -> *mut c_void;
    duckdb_vector_size: fn() -> u64;
}

impl Symbols {
    /// The release, as the library says it, without its `v`.
    pub(crate) fn release(&self) -> String {
        // SAFETY: the function takes nothing and returns a text that lives as long as the library.
        let said = unsafe { text((self.duckdb_library_version)()) };
        said.map(|said| said.trim_start_matches('v').to_owned()).unwrap_or_default()
    }
}

/// A copy of a text of the library; `None` for null.
///
/// # Safety
/// `start` is null, or points to a string that ends in NUL and does not change during the call.
pub(super) unsafe fn text(start: *const c_char) -> Option<String> {
    // SAFETY: the caller's promise.
    (!start.is_null()).then(|| unsafe { CStr::from_ptr(start) }.to_string_lossy().into_owned())
}

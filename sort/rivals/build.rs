//! Builds the C++ rivals that are asked for.

fn main() {
    println!("cargo::rerun-if-changed=cpp");
    #[cfg(feature = "boost")]
    shim("boost_spreadsort");
    #[cfg(feature = "tlx")]
    {
        shim("tlx");
        println!("cargo::rustc-link-lib=tlx");
    }
}

#[cfg(any(feature = "boost", feature = "tlx"))]
fn shim(name: &str) {
    cc::Build::new().cpp(true).std("c++17").opt_level(3).file(format!("cpp/{name}.cpp")).compile(name);
}

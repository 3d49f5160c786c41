//! The functions of the language.

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Abs,
    Double,
    Exp,
    Greatest,
    HashFnv1a,
    HashMurmur2,
    Int,
    Least,
    Ln,
    Mod,
    Permute,
    Pi,
    Power,
    Random,
    RandomExponential,
    RandomGaussian,
    RandomZipfian,
    Sqrt,
}

/// A function with its name and how many arguments it takes.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) function: Function,
    pub(crate) least: usize,
    pub(crate) most: usize,
}

const fn entry(name: &'static str, function: Function, least: usize, most: usize) -> Entry {
    Entry { name, function, least, most }
}

/// Alphabetical.
pub(crate) const TABLE: [Entry; 20] = [
    entry("abs", Function::Abs, 1, 1),
    entry("double", Function::Double, 1, 1),
    entry("exp", Function::Exp, 1, 1),
    entry("greatest", Function::Greatest, 1, usize::MAX),
    entry("hash", Function::HashMurmur2, 1, 2),
    entry("hash_fnv1a", Function::HashFnv1a, 1, 2),
    entry("hash_murmur2", Function::HashMurmur2, 1, 2),
    entry("int", Function::Int, 1, 1),
    entry("least", Function::Least, 1, usize::MAX),
    entry("ln", Function::Ln, 1, 1),
    entry("mod", Function::Mod, 2, 2),
    entry("permute", Function::Permute, 2, 3),
    entry("pi", Function::Pi, 0, 0),
    entry("pow", Function::Power, 2, 2),
    entry("power", Function::Power, 2, 2),
    entry("random", Function::Random, 2, 2),
    entry("random_exponential", Function::RandomExponential, 3, 3),
    entry("random_gaussian", Function::RandomGaussian, 3, 3),
    entry("random_zipfian", Function::RandomZipfian, 3, 3),
    entry("sqrt", Function::Sqrt, 1, 1),
];

/// Functions of pgbench that are not offered, and why.
pub(crate) const NOT_OFFERED: [(&str, &str); 1] = [("debug", "nothing is printed during a measurement")];

impl Entry {
    /// `2 arguments`, for an error.
    pub(crate) fn takes(&self) -> String {
        match (self.least, self.most) {
            (least, usize::MAX) => format!("{least} or more arguments"),
            (1, 1) => "1 argument".to_owned(),
            (least, most) if least == most => format!("{least} arguments"),
            (least, most) => format!("{least} or {most} arguments"),
        }
    }
}

/// The function of a name, in capitals or not.
pub(crate) fn find(name: &str) -> Option<&'static Entry> {
    TABLE.iter().find(|entry| entry.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_knows_no_name_twice() {
        assert!(TABLE.is_sorted_by(|a, b| a.name < b.name));
        assert_eq!(find("RANDOM").map(|entry| entry.function), Some(Function::Random));
        assert!(NOT_OFFERED.iter().all(|(name, _)| find(name).is_none()));
    }
}

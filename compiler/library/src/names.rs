use std::collections::HashSet;

/// Whether a text is a C identifier.
pub fn is_identifier(text: &str) -> bool {
    let starts = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    starts && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether a library of the name would hide a header of C's, or one of its libraries.
pub fn is_of_c(name: &str) -> bool {
    let mut names = HEADERS
        .split_whitespace()
        .chain(LIBRARIES.split_whitespace());
    names.any(|one| one == name)
}

/// Without their ending, those that stand in no folder.
const HEADERS: &str = "assert complex ctype dlfcn errno fenv float inttypes iso646 limits locale malloc \
    math memory pthread setjmp signal stdalign stdarg stdatomic stdbit stdbool stdckdint stddef \
    stdint stdio stdlib stdnoreturn string strings tgmath threads time uchar unistd wchar wctype";

/// Without `lib`: what a C or C++ compiler links by itself, and what is linked beside ours.
const LIBRARIES: &str = "atomic c dl gcc gcc_s m pthread quadmath rt stdc util";

/// The names of one prototype, each taken once.
pub(crate) struct Names {
    taken: HashSet<String>,
}

impl Names {
    pub(crate) fn new() -> Names {
        let own = ["failure"].into_iter();
        let words = KEYWORDS.split_whitespace().chain(MACROS.split_whitespace());
        Names {
            taken: own.chain(words).map(str::to_string).collect(),
        }
    }

    /// The name, or with as many `_` behind it as make it free.
    pub(crate) fn take(&mut self, name: &str) -> String {
        let mut name = match is_reserved(name) {
            true => format!("{name}_"),
            false => name.to_string(),
        };
        // What begins so is the header's own.
        while name.starts_with("neuro_") || !self.taken.insert(name.clone()) {
            name = match name.strip_prefix("neuro_") {
                Some(rest) => format!("{rest}_"),
                None => name + "_",
            };
        }
        name
    }
}

/// Whether a compiler or a header of C may have made something else of a name: a word of its own,
/// or a macro.
fn is_reserved(name: &str) -> bool {
    let underscored = name.strip_prefix('_').unwrap_or_default();
    let is_capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    underscored.starts_with(|c: char| c == '_' || c.is_ascii_uppercase())
        || name.len() > 3 && name.chars().all(is_capital)
        || ["PRI", "SCN", "L_"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

/// Of C23 and C++20.
const KEYWORDS: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char \
    char16_t char32_t char8_t class co_await co_return co_yield compl concept const const_cast \
    consteval constexpr constinit continue decltype default delete do double dynamic_cast else enum \
    explicit export extern false float for friend goto if inline int long mutable namespace new \
    noexcept not not_eq nullptr operator or or_eq private protected public register \
    reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast \
    struct switch template this thread_local throw true try typedef typeid typename typeof \
    typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq";

/// What a compiler or the C library may have made a macro of.
const MACROS: &str = "EOF I NULL assert complex errno far huge i386 imaginary linux near noreturn \
    stderr stdin stdout unix";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_those_of_c() {
        for good in ["a", "_", "A9_", "int"] {
            assert!(is_identifier(good), "{good}");
        }
        for bad in ["", "9a", "a-b", "a b", "ä", "a.b"] {
            assert!(!is_identifier(bad), "{bad}");
        }
    }

    #[test]
    fn names_are_free_and_no_words_of_c() {
        let mut names = Names::new();
        let taken = [
            "x",
            "int",
            "failure",
            "failure_",
            "neuro_data",
            "data_",
            "neuro_",
            "x",
            "_Bool",
            "__LINE__",
            "SIZE_MAX",
            "PRIu32",
            "NEURO_OK",
            "A",
            "_a",
        ]
        .map(|name| names.take(name));
        let expected = [
            "x",
            "int_",
            "failure_",
            "failure__",
            "data_",
            "data__",
            "_",
            "x_",
            "_Bool_",
            "__LINE___",
            "SIZE_MAX_",
            "PRIu32_",
            "NEURO_OK_",
            "A",
            "_a",
        ];
        assert_eq!(taken, expected);
    }
}

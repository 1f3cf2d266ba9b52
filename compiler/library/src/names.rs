use std::collections::HashSet;

/// Whether a text is a C identifier.
pub fn is_identifier(text: &str) -> bool {
    let starts = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    starts && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

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
        let mut name = name.to_string();
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
        ];
        assert_eq!(taken, expected);
    }
}

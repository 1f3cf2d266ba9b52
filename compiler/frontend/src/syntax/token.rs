use logos::Logos;
use shared_types::Span;

/// A token, and whether a line ends before it: that is where a statement may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub span: Span,
    pub after_newline: bool,
}

macro_rules! tokens {
    ($($variant:ident = $text:literal,)*) => {
        #[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
        #[logos(skip r"[ \t\r\f]+")]
        #[logos(skip(r"//[^\n]*", allow_greedy = true))]
        pub(crate) enum TokenKind {
            $(#[token($text)] $variant,)*

            #[token("\n")]
            Newline,
            #[regex("[A-Za-z_][A-Za-z0-9_]*")]
            Identifier,
            /// Digits, and any letters after them: what they mean is read later.
            #[regex("[0-9][A-Za-z0-9_]*")]
            Integer,
            #[regex(r"[0-9][0-9_]*\.[0-9][0-9_]*([eE][+-]?[0-9_]+)?[A-Za-z0-9_]*")]
            #[regex(r"[0-9][0-9_]*[eE][+-]?[0-9_]+[A-Za-z0-9_]*")]
            Float,
            #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
            String,
            #[regex(r#""([^"\\\n]|\\[^\n])*\\?"#)]
            UnclosedString,
            #[regex(r"'([^'\\\n]|\\[^\n])*'")]
            Char,
            #[regex(r"'([^'\\\n]|\\[^\n]|\\)?")]
            UnclosedChar,
            End,
        }

        impl TokenKind {
            /// How a message names it.
            pub fn describe(self) -> &'static str {
                match self {
                    $(TokenKind::$variant => concat!("`", $text, "`"),)*
                    TokenKind::Newline => "the end of the line",
                    TokenKind::Identifier => "a name",
                    TokenKind::Integer | TokenKind::Float => "a number",
                    TokenKind::String | TokenKind::UnclosedString => "a string",
                    TokenKind::Char | TokenKind::UnclosedChar => "a character",
                    TokenKind::End => "the end of the file",
                }
            }
        }
    };
}

tokens! {
    Func = "func",
    Struct = "struct",
    Impl = "impl",
    Const = "const",
    Type = "type",
    Val = "val",
    Mut = "mut",
    If = "if",
    Elif = "elif",
    Else = "else",
    While = "while",
    For = "for",
    In = "in",
    Loop = "loop",
    Break = "break",
    Continue = "continue",
    Return = "return",
    As = "as",
    True = "true",
    False = "false",
    SelfValue = "self",
    OpenParen = "(",
    CloseParen = ")",
    OpenBracket = "[",
    CloseBracket = "]",
    OpenBrace = "{",
    CloseBrace = "}",
    Comma = ",",
    Semicolon = ";",
    ColonColon = "::",
    Colon = ":",
    Arrow = "->",
    DotDotEqual = "..=",
    DotDot = "..",
    Dot = ".",
    Question = "?",
    At = "@",
    Ampersand = "&",
    AmpersandAmpersand = "&&",
    Pipe = "|",
    PipePipe = "||",
    Plus = "+",
    Minus = "-",
    Star = "*",
    Slash = "/",
    Percent = "%",
    PlusEqual = "+=",
    MinusEqual = "-=",
    StarEqual = "*=",
    SlashEqual = "/=",
    PercentEqual = "%=",
    Equal = "=",
    EqualEqual = "==",
    Not = "!",
    NotEqual = "!=",
    Less = "<",
    LessEqual = "<=",
    Greater = ">",
    GreaterEqual = ">=",
}

impl TokenKind {
    /// What an item begins with: where the parser takes up again after a fault.
    pub fn starts_item(self) -> bool {
        matches!(
            self,
            TokenKind::Func
                | TokenKind::Struct
                | TokenKind::Impl
                | TokenKind::Const
                | TokenKind::Type
                | TokenKind::At
        )
    }
}

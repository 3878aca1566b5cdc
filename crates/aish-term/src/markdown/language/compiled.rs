//! Languages that are compiled.

use super::{BASE, DOUBLE, Language, Quote, SINGLE, long_quote};

pub(super) const LANGUAGES: &[Language] = &[
    Language {
        names: &["rust", "rs"],
        quotes: &[Quote { open: "r#\"", close: "\"#", escapes: false, lines: true }, long_quote("\"")],
        keywords: "as async await break const continue crate dyn else enum extern fn for if impl in let loop match \
            mod move mut pub ref return static struct super trait type unsafe use where while",
        constants: "true false self Self None Some Ok Err",
        ..BASE
    },
    Language {
        names: &["go", "golang"],
        quotes: &[DOUBLE, SINGLE, Quote { open: "`", close: "`", escapes: false, lines: true }],
        keywords: "break case chan const continue default defer else fallthrough for func go goto if import \
            interface map package range return select struct switch type var",
        constants: "true false nil iota",
        ..BASE
    },
    Language {
        names: &["c", "h", "cpp", "c++", "cxx", "cc", "hpp", "objc", "arduino", "cuda"],
        keywords: "auto bool break case catch char class const constexpr continue default delete do double else enum \
            explicit extern float for friend goto if inline int long namespace new noexcept operator override \
            private protected public return short signed sizeof static struct switch template throw try typedef \
            typename union unsigned using virtual void volatile while #include #define #ifdef #ifndef #endif #if \
            #else #pragma",
        constants: "true false NULL nullptr this",
        ..BASE
    },
    Language {
        names: &["java", "kotlin", "kt", "kts", "scala", "groovy", "gradle", "csharp", "cs", "c#", "swift", "dart"],
        quotes: &[long_quote("\"\"\""), DOUBLE, SINGLE],
        keywords: "abstract as async await base break case catch class const continue data def default defer do else \
            enum extends extension final finally for foreach fun func guard if implements import in init instanceof \
            interface internal is let namespace new object open override package private protected protocol public \
            readonly record return sealed static struct super switch throw throws trait try using val var void when \
            where while with yield int long double float boolean bool string char byte",
        constants: "true false null nil this self",
        ..BASE
    },
];

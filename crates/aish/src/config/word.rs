//! Keys that take one of some words: a type of their own, read and written as the words.

/// Makes the type of such a key, and its words in the order in which people read them.
macro_rules! one_of {
    ($(#[$doc:meta])* $name:ident { $($(#[doc = $about:literal])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[doc = $about])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// The words, for the key's kind.
            pub const WORDS: $crate::config::key::Kind = $crate::config::key::Kind::Word(&[$($word),+]);
        }
    };
}
pub(super) use one_of;

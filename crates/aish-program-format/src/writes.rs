//! Which arguments of a program name what it writes to, as it is written: words separated by blanks.
//!
//! | word | what is written to |
//! |---|---|
//! | `-o`, `--output` | the value of the option |
//! | `@0`, `@2` | the operand of that number, from 0 |
//! | `@1..` | the operands from that number on |
//! | `@last` | the last operand |
//! | `of=` | what stands behind it in an operand |
//! | `-i\|--in-place>@1..` | the same, where one of the options is given |
//! | `!-u\|!-U>@0..` | the same, where none of the options is given |
//! | `clone>@1`, `clone\|image>@last` | the same, where the first operand is that; it is counted too |

use crate::ids::{Id, List};

/// Something that a program writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Writes {
    /// The options of which one must be given, or the sub-commands of which the first operand must be one; options behind `!`
    /// of which none may be given. None for always.
    pub with: List,
    /// Where its name stands.
    pub place: Place,
}

/// Where among the arguments a name stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The value of an option.
    Value(Id),
    /// The operand of that number, from 0.
    Operand(u8),
    /// The operands from that number on.
    From(u8),
    /// The last operand.
    Last,
    /// Behind this text in an operand.
    Behind(Id),
}

//! The id of the rule that decided.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;
use core::ops::Deref;

use serde::{Deserialize, Serialize};

/// The id of a rule: a family, a dot, a name (`files.delete-recursive`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RuleId(Cow<'static, str>);

impl RuleId {
    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the family that the rule belongs to.
    fn family(&self) -> &str {
        self.0.split_once('.').map_or(&*self.0, |(family, _)| family)
    }

    /// Says whether the user's own policy decided.
    pub fn is_of_policy(&self) -> bool {
        self.family() == "policy"
    }

    /// Says whether a bound of size or nesting decided, so that the text was not looked at to its end.
    pub fn is_of_bounds(&self) -> bool {
        self.family() == "bounds"
    }

    /// Says whether the part prints what it is given and does nothing else.
    pub(crate) fn prints(&self) -> bool {
        self.family() == "read" && self.0.starts_with("read.print")
    }
}

impl Deref for RuleId {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<&'static str> for RuleId {
    fn from(id: &'static str) -> Self {
        Self(Cow::Borrowed(id))
    }
}

impl From<String> for RuleId {
    fn from(id: String) -> Self {
        Self(Cow::Owned(id))
    }
}

impl From<Cow<'static, str>> for RuleId {
    fn from(id: Cow<'static, str>) -> Self {
        Self(id)
    }
}

impl PartialEq<str> for RuleId {
    fn eq(&self, other: &str) -> bool {
        *self.0 == *other
    }
}

impl PartialEq<&str> for RuleId {
    fn eq(&self, other: &&str) -> bool {
        *self.0 == **other
    }
}

impl PartialEq<RuleId> for String {
    fn eq(&self, other: &RuleId) -> bool {
        **self == *other.0
    }
}

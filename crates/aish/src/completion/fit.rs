//! How well a name must fit what was typed.

/// How well a name must fit what was typed: as well as the best of all does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// It begins so.
    Begins,
    /// It begins so but for case.
    BeginsInAnyCase,
    /// It has the letters in their order, whatever stands between them; the first one begins it.
    Scattered,
}

impl Fit {
    /// Returns the best fit that any of the names has.
    pub(super) fn best<'a>(typed: &str, names: impl Iterator<Item = &'a str> + Clone) -> Self {
        let of = |fit: Self| names.clone().any(|name| fit.admits(typed, name));
        [Self::Begins, Self::BeginsInAnyCase].into_iter().find(|&fit| of(fit)).unwrap_or(Self::Scattered)
    }

    /// Says whether a name fits so well.
    pub(super) fn admits(self, typed: &str, name: &str) -> bool {
        let lower = |text: &str| text.to_lowercase();
        match self {
            Self::Begins => name.starts_with(typed),
            Self::BeginsInAnyCase => lower(name).starts_with(&lower(typed)),
            Self::Scattered => {
                let (typed, name) = (lower(typed), lower(name));
                let mut left = name.chars();
                typed.chars().count() >= 2
                    && name.chars().next() == typed.chars().next()
                    && typed.chars().all(|c| left.any(|other| other == c))
            }
        }
    }
}

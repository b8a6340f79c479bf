//! Fields of a partial update.

/// Change of one field that may also be emptied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// The field is not mentioned: it stays as it is.
    #[default]
    Keep,
    /// The field is null: it is emptied.
    Clear,
    /// The field takes this value.
    Set(T),
}

impl<T> Patch<T> {
    /// Returns the field after the update.
    pub fn apply(self, before: Option<T>) -> Option<T> {
        match self {
            Self::Keep => before,
            Self::Clear => None,
            Self::Set(value) => Some(value),
        }
    }
}

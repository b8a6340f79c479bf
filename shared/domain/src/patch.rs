//! Fields of a partial update.

/// What an update does to one field that may also be emptied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// Not mentioned: stays as it is.
    #[default]
    Keep,
    /// Given as null: emptied.
    Clear,
    /// Given a value.
    Set(T),
}

impl<T> Patch<T> {
    /// The field after the update.
    pub fn apply(self, before: Option<T>) -> Option<T> {
        match self {
            Self::Keep => before,
            Self::Clear => None,
            Self::Set(value) => Some(value),
        }
    }
}

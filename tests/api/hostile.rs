//! Hostile values in every field and parameter.

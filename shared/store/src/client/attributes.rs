//! Names of attributes, taken from the struct that is read from them.

/// Defines a struct that is read from an item, with the names of its fields in `ATTRIBUTES`. A read asks for these attributes only.
macro_rules! with_attributes {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$field_meta:meta])* $field_visibility:vis $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$meta])*
        $visibility struct $name {
            $($(#[$field_meta])* $field_visibility $field: $type,)*
        }

        impl $name {
            /// Names of the attributes.
            $visibility const ATTRIBUTES: &'static [&'static str] = &[$(stringify!($field)),*];
        }
    };
}

pub(crate) use with_attributes;

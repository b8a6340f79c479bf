//! Enums without data, whose variants can be listed.

/// Declares an enum without data, and lists its variants in `ALL`. Variants with a spelling also have `as_str` and `parse`.
///
/// The text after `=>` is the spelling: on the wire, in storage, or in a list. A number before it is the rank in comparisons, where that
/// is not the order of the variants.
///
/// ```
/// presence_domain::listed_enum! {
///     /// Size of a shirt.
///     pub enum Size {
///         /// Above 40.
///         Large = 1 => "large",
///         /// Up to 40.
///         Small = 0 => "small",
///     }
/// }
/// assert!(Size::Large > Size::Small);
/// assert_eq!(Size::ALL.map(Size::as_str), ["large", "small"]);
/// assert_eq!((Size::parse("small"), Size::parse("Small")), (Some(Size::Small), None));
/// ```
#[macro_export]
macro_rules! listed_enum {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $name:ident {
            $($(#[$variant_attribute:meta])* $variant:ident $(= $rank:literal)? => $text:literal,)+
        }
    ) => {
        $crate::listed_enum! {
            $(#[$attribute])*
            $visibility enum $name {
                $($(#[$variant_attribute])* $variant $(= $rank)?,)+
            }
        }

        impl $name {
            /// Returns the spelling.
            #[must_use]
            $visibility const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }

            /// Returns the variant with this spelling.
            #[must_use]
            $visibility fn parse(text: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|variant| variant.as_str() == text)
            }
        }
    };
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $name:ident {
            $($(#[$variant_attribute:meta])* $variant:ident $(= $rank:literal)?,)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility enum $name {
            $($(#[$variant_attribute])* $variant $(= $rank)?,)+
        }

        impl $name {
            /// All variants, in the order of their declaration.
            $visibility const ALL: [Self; [$(stringify!($variant)),+].len()] = [$(Self::$variant),+];
        }
    };
}

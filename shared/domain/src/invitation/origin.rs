//! Origin of an invitation, which its mail names.

use crate::display::display_name;

/// Names of the organisation and of the person who invites, as they are stored, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InvitationOrigin {
    /// Name of the organisation that the user belongs to.
    pub organisation: Option<String>,
    /// First and last name of the person who invites.
    pub inviter: Option<(String, String)>,
}

impl InvitationOrigin {
    /// Returns the name of the organisation for display; `None` if nothing in it is visible.
    pub fn displayed_organisation(&self) -> Option<String> {
        self.organisation.as_deref().map(display_name).filter(|name| !name.is_empty())
    }

    /// Returns the name of the person who invites for display; `None` if nothing in it is visible.
    pub fn displayed_inviter(&self) -> Option<String> {
        let (first, last) = self.inviter.as_ref()?;
        let name = [display_name(first), display_name(last)].join(" ").trim().to_owned();
        Some(name).filter(|name| !name.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_displayed_without_links_and_invisible_ones_are_left_out() {
        let origin = |organisation: &str, first: &str, last: &str| InvitationOrigin {
            organisation: Some(organisation.to_owned()),
            inviter: Some((first.to_owned(), last.to_owned())),
        };
        let shown = |origin: InvitationOrigin| (origin.displayed_organisation(), origin.displayed_inviter());
        let text = |text: &str| Some(text.to_owned());
        let cases = [
            (origin("Fast Retailer", "Ada", "Lovelace"), (text("Fast Retailer"), text("Ada Lovelace"))),
            (origin("\u{200b}", "\u{200b}", "Lovelace"), (None, text("Lovelace"))),
            (origin("win.example/now", "http://evil.example", "\r\nBcc: x@evil.example"), {
                (text("win. example now"), text("http evil. example Bcc x evil. example"))
            }),
            (origin("a", "\u{2060}", ""), (text("a"), None)),
            (InvitationOrigin::default(), (None, None)),
        ];
        for (origin, expected) in cases {
            assert_eq!(shown(origin.clone()), expected, "{origin:?}");
        }
    }
}

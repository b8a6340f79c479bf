//! wip
use jiff::SignedDuration;
use presence::domain::user::User;
/// wip
#[derive(Clone, Debug)]
pub struct Message {
    /// s
    pub subject: String,
    /// h
    pub html: String,
    /// t
    pub text: String,
}
impl Message {
    /// wip
    #[must_use]
    pub fn invitation(_user: &User, link: &str, _life: SignedDuration) -> Self {
        Self { subject: String::new(), html: link.to_owned(), text: link.to_owned() }
    }
}

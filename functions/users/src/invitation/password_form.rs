//! Passwords in the form of the page.

use presence_api::form::Form;
use presence_domain::password::{MIN_CHARACTERS, Password};
use presence_domain::text::has_control;

/// Error of the passwords in a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PasswordFormError {
    TooShort,
    TooLong,
    ControlCharacter,
    /// The confirmation differs from the password.
    Mismatch,
}

/// Reads the password, by the rules of every password, or returns all errors.
pub(super) fn read_password(form: &Form) -> Result<Password, Vec<PasswordFormError>> {
    let (text, confirmation) = (form.get("password").unwrap_or_default(), form.get("confirmation").unwrap_or_default());
    let mismatch = (text != confirmation).then_some(PasswordFormError::Mismatch);
    match (parse_password(text), mismatch) {
        (Ok(password), None) => Ok(password),
        (password, mismatch) => Err(password.err().into_iter().chain(mismatch).collect()),
    }
}

fn parse_password(text: &str) -> Result<Password, PasswordFormError> {
    if has_control(text) {
        return Err(PasswordFormError::ControlCharacter);
    }
    let is_too_short = text.chars().count() < MIN_CHARACTERS;
    let error = if is_too_short { PasswordFormError::TooShort } else { PasswordFormError::TooLong };
    Password::parse(text).map_err(|_| error)
}

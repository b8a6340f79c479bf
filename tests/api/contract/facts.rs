//! What is stored of a user, as short texts.

use jiff::Timestamp;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::password::Password;
use presence_domain::user::{Lang, Phone};
use presence_tests::Stored;
use presence_users::password_hashing::verifies;

/// One fact of a user. `mails` and `invited` are in milliseconds from now: when each mail in the outbox is due, and
/// when the last invitation was accepted. `opens:<text>` asks whether the text is the password.
///
/// # Panics
/// When there is no such fact.
pub(crate) fn fact(record: &Stored, now: Timestamp, name: &str) -> String {
    let user = &record.user;
    let from_now = |milliseconds: i64| (milliseconds - now.as_millisecond()).to_string();
    let listed = |texts: Vec<String>| if texts.is_empty() { "none".to_owned() } else { texts.join(",") };
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "none".to_owned());
    if let Some(text) = name.strip_prefix("opens:") {
        let password = Password::parse(&text.replace('_', " ")).expect("a password");
        return user.password.as_ref().is_some_and(|hash| verifies(hash, &password)).to_string();
    }
    match name {
        "version" => user.version.to_string(),
        "status" => user.status.as_str().to_owned(),
        "role" => user.role.as_str().to_owned(),
        "org" => or_none(user.org_id.map(OrgId::get).map(|id| id.to_string())),
        "first_name" => user.first_name.as_str().to_owned(),
        "last_name" => user.last_name.as_str().to_owned(),
        "email" => user.email.as_str().to_owned(),
        "phone" => or_none(user.phone.as_ref().map(Phone::as_str).map(str::to_owned)),
        "lang" => or_none(user.lang.map(Lang::as_str).map(str::to_owned)),
        "businesses" => listed(user.business_ids.iter().map(BusinessId::as_str).map(str::to_owned).collect()),
        "password" => or_none(user.password.as_ref().map(|_| "set".to_owned())),
        "invited" => or_none(user.invited_at.map(|at| from_now(at.as_millisecond()))),
        "mails" => listed(record.mails.iter().map(|mail| from_now(mail.due_at)).collect()),
        other => panic!("there is no fact called {other}"),
    }
}

//! User with all that operators look at, as JSON and as text.

use jiff::Timestamp;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::invitation::{InvitationLink, LinkState, OutboxMessage};
use presence_domain::user::{Lang, Phone};
use presence_store::UserDetails;
use serde::Serialize;

use crate::console::format_instant;
use crate::key::ListedKey;

/// User with its keys, mail, links and the mark of its address. It holds no secret.
#[derive(Serialize)]
pub(crate) struct UserBody<'a> {
    id: String,
    email: &'a str,
    first_name: &'a str,
    last_name: &'a str,
    phone: Option<&'a str>,
    lang: Option<&'static str>,
    status: &'static str,
    role: &'static str,
    org_id: Option<u64>,
    business_ids: Vec<&'a str>,
    has_password: bool,
    /// Instant at which the last invitation was accepted for sending.
    invited_at: Option<String>,
    /// First instant at which another mail may be sent.
    quiet_until: Option<String>,
    links: Vec<LinkBody>,
    mail: Option<MailBody<'a>>,
    address_mark: Option<MarkBody>,
    keys: Vec<ListedKey<'a>>,
}

#[derive(Serialize)]
struct LinkBody {
    state: &'static str,
    expires_at: String,
}

#[derive(Serialize)]
struct MailBody<'a> {
    id: &'a str,
    state: &'static str,
    created_at: String,
    due_at: String,
    attempts: u32,
}

#[derive(Serialize)]
struct MarkBody {
    reason: &'static str,
    at: String,
}

impl<'a> UserBody<'a> {
    /// Returns the user at an instant, which decides if keys and links have expired.
    pub(crate) fn new(details: &'a UserDetails, now: Timestamp) -> Self {
        let UserDetails { user, keys, mail, mark } = details;
        Self {
            id: user.id.to_string(),
            email: user.email.as_str(),
            first_name: user.first_name.as_str(),
            last_name: user.last_name.as_str(),
            phone: user.phone.as_ref().map(Phone::as_str),
            lang: user.lang.map(Lang::as_str),
            status: user.status.as_str(),
            role: user.role.as_str(),
            org_id: user.org_id.map(OrgId::get),
            business_ids: user.business_ids.iter().map(BusinessId::as_str).collect(),
            has_password: user.password.is_some(),
            invited_at: user.invited_at.map(format_instant),
            quiet_until: user.quiet_until.map(format_instant),
            links: user.links.as_slice().iter().map(|link| LinkBody::new(link, now)).collect(),
            mail: mail.as_ref().map(MailBody::new),
            address_mark: mark
                .as_ref()
                .map(|mark| MarkBody { reason: mark.reason.as_str(), at: format_instant(mark.at) }),
            keys: keys.iter().map(|key| ListedKey::new(key, now)).collect(),
        }
    }
}

impl LinkBody {
    fn new(link: &InvitationLink, now: Timestamp) -> Self {
        let has_expired = link.state == LinkState::Live && link.expires_at <= now;
        let state = if has_expired { "expired" } else { link.state.as_str() };
        Self { state, expires_at: format_instant(link.expires_at) }
    }
}

impl<'a> MailBody<'a> {
    fn new(mail: &'a OutboxMessage) -> Self {
        Self {
            id: &mail.id,
            state: mail.state.as_str(),
            created_at: format_instant(mail.created_at),
            due_at: format_instant(mail.due_at),
            attempts: mail.attempts,
        }
    }
}

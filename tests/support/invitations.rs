//! Links of invitations, and the page that they lead to.

use jiff::SignedDuration;
use presence_domain::access::Scope;
use presence_domain::ids::UserId;
use presence_domain::invitation::{ActivationToken, LinkState};
use presence_domain::password::Password;
use presence_domain::user::User;
use presence_runtime::clock::Clock as _;
use presence_store::{MailChange, UserChange};
use presence_users::password_hashing::verifies;

use crate::{Reply, Stored, TestStack, send};

/// How long a link works.
pub const LIFE: SignedDuration = SignedDuration::from_hours(72);

impl TestStack {
    /// Starts a request of the page, which takes no key.
    pub fn page(&self, method: &str) -> reqwest::RequestBuilder {
        self.request_at(method, &self.local.base_url().replace("/api/v2", "/invitation"))
    }

    /// Follows a link.
    pub async fn follow(&self, id: &str, token: &ActivationToken) -> Reply {
        send(self.page("GET").query(&[("user", id), ("token", token.expose())])).await
    }

    /// Sends the form of the page with the same password twice.
    pub async fn accept(&self, id: &str, token: &ActivationToken, password: &str) -> Reply {
        send(self.page("POST").form(&form(id, token, password, password))).await
    }

    /// A link that the user was sent just now, for certain: it replaces those before it.
    pub async fn link(&self, id: &str) -> ActivationToken {
        let (token, now) = (ActivationToken::generate(), self.clock.now());
        self.rewrite(id, |user| {
            user.links.add(token.hash(), now, LIFE);
            user.links.was_sent(token.hash());
        })
        .await;
        token
    }

    /// Changes a stored user, past the API.
    ///
    /// # Panics
    /// When there is no such user, or another write comes between.
    pub async fn rewrite(&self, id: &str, change: impl FnOnce(&mut User)) {
        let id = UserId::parse(id).expect("an id");
        let record = self.stores().users.get_record(Scope::for_operator(), id).await.expect("the store answers");
        let record = record.expect("the user");
        let mut after = record.user.clone();
        change(&mut after);
        let (before, after, now) = (Some(&record), Some(&after), self.clock.now());
        let change = UserChange { before, after, mail: MailChange::Keep, keep_an_admin: false, now };
        self.stores().users.write(change).await.expect("nobody else writes");
    }
}

impl Stored {
    /// Whether a link of the user can still be followed, but for its time.
    pub fn has_live_link(&self) -> bool {
        self.user.links.as_slice().iter().any(|link| link.state == LinkState::Live)
    }

    /// Whether this is the user's password.
    ///
    /// # Panics
    /// When it is none that a user could have.
    pub fn has_password(&self, password: &str) -> bool {
        let password = Password::parse(password).expect("a password");
        self.user.password.as_ref().is_some_and(|hash| verifies(hash, &password))
    }
}

/// The fields of the form.
pub fn form<'a>(
    id: &'a str,
    token: &'a ActivationToken,
    password: &'a str,
    confirmation: &'a str,
) -> [(&'static str, &'a str); 4] {
    [("user", id), ("token", token.expose()), ("password", password), ("confirmation", confirmation)]
}

//! Links of invitations, and requests to the page behind them.

use jiff::SignedDuration;
use presence_domain::ids::UserId;
use presence_domain::invitation::{ActivationToken, LinkState};
use presence_domain::password::Password;
use presence_domain::user::{User, UserChange};
use presence_runtime::clock::Clock as _;
use presence_users::password_hashing::verifies;

use crate::{Reply, StoredUser, TestStack, send};

/// Time for which a link works.
pub const LIFE: SignedDuration = SignedDuration::from_hours(72);

impl TestStack {
    /// Builds a request of the page, which takes no key.
    pub fn page(&self, method: &str) -> reqwest::RequestBuilder {
        self.request_at(method, &self.local.base_url().replace("/api/v2", "/invitation"))
    }

    /// Opens a link.
    pub async fn follow(&self, id: &str, token: &ActivationToken) -> Reply {
        send(self.page("GET").query(&[("user", id), ("token", token.expose())])).await
    }

    /// Submits the form of the page, with the same password in both fields.
    pub async fn accept(&self, id: &str, token: &ActivationToken, password: &str) -> Reply {
        send(self.page("POST").form(&form(id, token, password, password))).await
    }

    /// Gives the user a link, past the API, as if its mail was sent just now. It replaces the earlier links.
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
    /// Panics if there is no such user, or somebody else writes it at the same time.
    pub async fn rewrite(&self, id: &str, change: impl FnOnce(&mut User)) {
        let id = UserId::parse(id).expect("an id");
        let record = self.stores().users.get_record(crate::operator_scope(), id).await.expect("the store answers");
        let record = record.expect("the user");
        let mut after = record.user.clone();
        change(&mut after);
        let change = UserChange::of_delivery(after, self.clock.now());
        self.stores().users.write(Some(&record), &change).await.expect("nobody else writes");
    }
}

impl StoredUser {
    /// True if a link of the user is live. The link may have expired.
    pub fn has_live_link(&self) -> bool {
        self.user.links.as_slice().iter().any(|link| link.state == LinkState::Live)
    }

    /// True if this is the user's password.
    ///
    /// # Panics
    /// Panics if no user could have such a password.
    pub fn has_password(&self, password: &str) -> bool {
        let password = Password::parse(password).expect("a password");
        self.user.password.as_ref().is_some_and(|hash| verifies(hash, &password))
    }
}

/// Returns the fields of the form.
pub fn form<'a>(
    id: &'a str,
    token: &'a ActivationToken,
    password: &'a str,
    confirmation: &'a str,
) -> [(&'static str, &'a str); 4] {
    [("user", id), ("token", token.expose()), ("password", password), ("confirmation", confirmation)]
}

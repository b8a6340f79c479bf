//! Mails read back from SES: from the local one, or from a second implementation (the server of moto) if
//! `PRESENCE_TEST_SES_URL` names one.

use jiff::SignedDuration;
use presence_domain::invitation::{ActivationToken, InvitationOrigin};
use presence_domain::random::random_u64;
use presence_domain::user::{Lang, PersonName, Role, Status, User};
use presence_local::{SesMode, sdk_config};
use presence_mailer::message::Message;
use presence_mailer::{Mail, Mailer as _, SendResult};
use presence_mailer_lambda::SesMailer;
use presence_tests::invitations::LIFE;
use presence_tests::{TestStack, send};
use serde_json::{Value, json};

use crate::api::invitation_page::hostile_names::{READABLE, hostile_names};

/// Environment variable with the endpoint of another SES to test against.
const EXTERNAL_SES: &str = "PRESENCE_TEST_SES_URL";
/// Sender of the mails of the local stack.
const SENDER: &str = "Presence <no-reply@presence.example>";
/// Sender that no SES has verified.
const UNVERIFIED_SENDER: &str = "stranger@presence.example";
/// Header of signed requests. The test server does not verify the signature.
const AUTHORIZATION: &str =
    "AWS4-HMAC-SHA256 Credential=local/20260101/eu-west-1/ses/aws4_request, SignedHeaders=host, Signature=0";

/// SES under test: the local one, or the external one if it is set.
struct SesUnderTest {
    stack: TestStack,
    external_url: Option<String>,
}

/// Mail as SES stored it. `text` is `None` if it stores only the HTML, as moto does.
#[derive(Debug, PartialEq, Eq)]
struct StoredMail {
    /// `None` if it is not stored: the local SES has one sender.
    from: Option<String>,
    to: Vec<String>,
    subject: String,
    html: String,
    text: Option<String>,
}

impl SesUnderTest {
    #[expect(clippy::disallowed_methods, reason = "a test's own setting")]
    async fn connect() -> Self {
        let ses = Self { stack: TestStack::start().await, external_url: std::env::var(EXTERNAL_SES).ok() };
        if let Some(url) = &ses.external_url {
            let request = reqwest::Client::new().post(format!("{url}/v2/email/identities"));
            let request = request
                .header("authorization", AUTHORIZATION)
                .json(&json!({ "EmailIdentity": "no-reply@presence.example" }));
            assert_eq!(send(request).await.status, 200, "the sender is verified");
        }
        ses
    }

    fn mailer(&self, sender: &str) -> SesMailer {
        let local = || self.stack.local.mailbox_url().replace("/mailbox", "/ses");
        let url = self.external_url.clone().unwrap_or_else(local);
        SesMailer::new(&sdk_config(&url), sender.to_owned())
    }

    /// Returns every stored mail.
    async fn list_mails(&self) -> Vec<StoredMail> {
        match &self.external_url {
            Some(url) => {
                let data = send(reqwest::Client::new().get(format!("{url}/moto-api/data.json"))).await.json();
                data["ses"]["Message"].as_array().expect("mails").iter().map(read_moto_mail).collect()
            }
            None => self.stack.local.mailbox().mails().into_iter().map(read_local_mail).collect(),
        }
    }

    /// Sends a mail with the mailer of the product, and reads it back.
    async fn send(&self, mailer: &SesMailer, to: &str, message: &Message) -> StoredMail {
        let mail = Mail { to: to.to_owned(), message: message.clone() };
        assert_eq!(mailer.send(&mail).await, SendResult::Sent, "{to}");
        let mut kept: Vec<_> = self.list_mails().await.into_iter().filter(|kept| kept.to == [to]).collect();
        assert_eq!(kept.len(), 1, "{to}");
        kept.remove(0)
    }
}

fn read_moto_mail(mail: &Value) -> StoredMail {
    let text = |name: &str| mail[name].as_str().expect("text").to_owned();
    let to = mail["destinations"]["ToAddresses"].as_array().expect("recipients");
    let to = to.iter().map(|to| to.as_str().expect("an address").to_owned()).collect();
    StoredMail { from: Some(text("source")), to, subject: text("subject"), html: text("body"), text: None }
}

fn read_local_mail(mail: presence_local::SentMail) -> StoredMail {
    StoredMail { from: None, to: vec![mail.to], subject: mail.subject, html: mail.html, text: Some(mail.text) }
}

/// Asserts that the stored mail equals the message, as far as SES stores it.
fn assert_stored(kept: &StoredMail, to: &str, message: &Message, what: &str) {
    assert!(kept.from.as_deref().is_none_or(|from| from == SENDER), "{what}: {kept:?}");
    assert_eq!((kept.to.as_slice(), kept.subject.as_str()), (&[to.to_owned()][..], message.subject.as_str()), "{what}");
    assert_eq!(kept.html, message.html, "{what}");
    assert!(kept.text.as_ref().is_none_or(|text| *text == message.text), "{what}");
}

/// Returns an address that no run has used, since the mails of other runs stay stored.
fn fresh_address(local: &str) -> String {
    format!("{local}-{:016x}@guests.example", random_u64())
}

/// Returns a stored user as template for the users of the mails.
async fn template_user(stack: &TestStack) -> User {
    let person = stack.create_user("model", Role::BusinessManager, Some(1), Status::Invited).await;
    stack.stored(&person.id).await.expect("the user").user
}

fn invitation(user: &User, life: SignedDuration) -> Message {
    let link = format!("https://presence.example/invitation?user=1&token={}", ActivationToken::generate().expose());
    let inviter = Some(("Inès".to_owned(), "Moreau".to_owned()));
    let origin = InvitationOrigin { organisation: Some("Cafés Azulejo".to_owned()), inviter };
    Message::invitation(user, &origin, &link, life)
}

#[tokio::test(flavor = "multi_thread")]
async fn ses_stores_each_mail_unchanged_in_every_language_and_for_hostile_names() {
    let ses = SesUnderTest::connect().await;
    let (mailer, model) = (ses.mailer(SENDER), template_user(&ses.stack).await);
    for lang in Lang::ALL {
        let (to, message) =
            (fresh_address(lang.as_str()), invitation(&User { lang: Some(lang), ..model.clone() }, LIFE));
        assert_stored(&ses.send(&mailer, &to, &message).await, &to, &message, lang.as_str());
    }
    for name in hostile_names().iter().map(String::as_str).chain(READABLE) {
        let parsed = PersonName::parse(name).expect("a name");
        let user = User { first_name: parsed.clone(), last_name: parsed, ..model.clone() };
        let (to, message) = (fresh_address("name"), invitation(&user, LIFE));
        assert_stored(&ses.send(&mailer, &to, &message).await, &to, &message, name);
    }
    for to in [
        fresh_address("o'brien+shop"),
        fresh_address("a.b_c%d"),
        fresh_address("{~}!#$&*=?^`|/"),
        fresh_address("x").replace("guests", "xn--gste-boa"),
    ] {
        let message = invitation(&model, LIFE);
        assert_stored(&ses.send(&mailer, &to, &message).await, &to, &message, &to);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_from_an_unverified_sender_is_refused_with_its_code_and_not_stored() {
    let ses = SesUnderTest::connect().await;
    ses.stack.local.mailbox().set_ses_mode(SesMode::Reject);
    let (mailer, to) = (ses.mailer(UNVERIFIED_SENDER), fresh_address("refused"));
    let message = invitation(&template_user(&ses.stack).await, LIFE);
    let outcome = mailer.send(&Mail { to: to.clone(), message }).await;
    assert_eq!(outcome, SendResult::Refused("MessageRejected".to_owned()));
    assert!(ses.list_mails().await.iter().all(|kept| kept.to != [to.as_str()]));
}

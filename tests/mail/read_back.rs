//! What SES was really sent, read back from it: from the local one, or from a second implementation that shares no code with
//! it, where `PRESENCE_TEST_SES_URL` names one (moto's server).

use jiff::SignedDuration;
use presence_domain::ids::random_u64;
use presence_domain::invitation::ActivationToken;
use presence_domain::user::{Lang, PersonName, Role, Status, User};
use presence_local::{SesMode, sdk_config};
use presence_mailer::message::Message;
use presence_mailer::{Mail, Mailer as _, SendResult, SesMailer};
use presence_tests::invitations::LIFE;
use presence_tests::{TestStack, send};
use serde_json::{Value, json};

use crate::api::invitation_page::hostile_names::{READABLE, hostile_names};

/// The environment variable with the endpoint of an SES to test against in the place of the local one.
const EXTERNAL_SES: &str = "PRESENCE_TEST_SES_URL";
/// Who the mails of the local stack come from.
const SENDER: &str = "Presence <no-reply@presence.example>";
/// Whom no SES knows.
const STRANGER: &str = "stranger@presence.example";
/// What signed requests carry; nobody here looks at the signature.
const AUTHORIZATION: &str =
    "AWS4-HMAC-SHA256 Credential=local/20260101/eu-west-1/ses/aws4_request, SignedHeaders=host, Signature=0";

/// An SES, and where its mails are read.
struct Post {
    stack: TestStack,
    second: Option<String>,
}

/// A mail as SES has it. `text` is none where it keeps one form only: moto keeps the HTML.
#[derive(Debug, PartialEq, Eq)]
struct Kept {
    /// None where it is not kept: the local SES has one sender.
    from: Option<String>,
    to: Vec<String>,
    subject: String,
    html: String,
    text: Option<String>,
}

impl Post {
    #[expect(clippy::disallowed_methods, reason = "a test's own setting")]
    async fn open() -> Self {
        let post = Self { stack: TestStack::start().await, second: std::env::var(EXTERNAL_SES).ok() };
        if let Some(url) = &post.second {
            let request = reqwest::Client::new().post(format!("{url}/v2/email/identities"));
            let request = request
                .header("authorization", AUTHORIZATION)
                .json(&json!({ "EmailIdentity": "no-reply@presence.example" }));
            assert_eq!(send(request).await.status, 200, "the sender is verified");
        }
        post
    }

    fn mailer(&self, sender: &str) -> SesMailer {
        let local = || self.stack.local.mailbox_url().replace("/mailbox", "/ses");
        let url = self.second.clone().unwrap_or_else(local);
        SesMailer::new(&sdk_config(&url), sender.to_owned())
    }

    /// Every mail that it keeps.
    async fn kept(&self) -> Vec<Kept> {
        match &self.second {
            Some(url) => {
                let data = send(reqwest::Client::new().get(format!("{url}/moto-api/data.json"))).await.json();
                data["ses"]["Message"].as_array().expect("mails").iter().map(kept_by_moto).collect()
            }
            None => self.stack.local.mailbox().mails().into_iter().map(kept_here).collect(),
        }
    }

    /// Sends as the product does, from an address of the test's own to another, and reads that mail back.
    async fn send(&self, mailer: &SesMailer, to: &str, message: &Message) -> Kept {
        let mail = Mail { to: to.to_owned(), message: message.clone() };
        assert_eq!(mailer.send(&mail).await, SendResult::Sent, "{to}");
        let mut kept: Vec<_> = self.kept().await.into_iter().filter(|kept| kept.to == [to]).collect();
        assert_eq!(kept.len(), 1, "{to}");
        kept.remove(0)
    }
}

fn kept_by_moto(mail: &Value) -> Kept {
    let text = |name: &str| mail[name].as_str().expect("text").to_owned();
    let to = mail["destinations"]["ToAddresses"].as_array().expect("recipients");
    let to = to.iter().map(|to| to.as_str().expect("an address").to_owned()).collect();
    Kept { from: Some(text("source")), to, subject: text("subject"), html: text("body"), text: None }
}

fn kept_here(mail: presence_local::SentMail) -> Kept {
    Kept { from: None, to: vec![mail.to], subject: mail.subject, html: mail.html, text: Some(mail.text) }
}

/// A mail must be kept as it was meant, whatever of it is kept.
fn assert_is(kept: &Kept, to: &str, message: &Message, what: &str) {
    assert!(kept.from.as_deref().is_none_or(|from| from == SENDER), "{what}: {kept:?}");
    assert_eq!((kept.to.as_slice(), kept.subject.as_str()), (&[to.to_owned()][..], message.subject.as_str()), "{what}");
    assert_eq!(kept.html, message.html, "{what}");
    assert!(kept.text.as_ref().is_none_or(|text| *text == message.text), "{what}");
}

/// A fresh address: the mails of other runs are kept, too.
fn fresh(local: &str) -> String {
    format!("{local}-{:016x}@guests.example", random_u64())
}

async fn model(stack: &TestStack) -> User {
    let person = stack.create_user("model", Role::BusinessManager, Some(1), Status::Invited).await;
    stack.stored(&person.id).await.expect("the user").user
}

fn invitation(user: &User, life: SignedDuration) -> Message {
    let link = format!("https://presence.example/invitation?user=1&token={}", ActivationToken::generate().expose());
    Message::invitation(user, &link, life)
}

#[tokio::test(flavor = "multi_thread")]
async fn ses_has_each_mail_as_it_was_meant_in_every_language_and_for_hostile_names() {
    let post = Post::open().await;
    let (mailer, model) = (post.mailer(SENDER), model(&post.stack).await);
    for lang in Lang::ALL {
        let (to, message) = (fresh(lang.as_str()), invitation(&User { lang: Some(lang), ..model.clone() }, LIFE));
        assert_is(&post.send(&mailer, &to, &message).await, &to, &message, lang.as_str());
    }
    for name in hostile_names().iter().map(String::as_str).chain(READABLE) {
        let parsed = PersonName::parse(name).expect("a name");
        let user = User { first_name: parsed.clone(), last_name: parsed, ..model.clone() };
        let (to, message) = (fresh("name"), invitation(&user, LIFE));
        assert_is(&post.send(&mailer, &to, &message).await, &to, &message, name);
    }
    for to in
        [fresh("o'brien+shop"), fresh("a.b_c%d"), fresh("{~}!#$&*=?^`|/"), fresh("x").replace("guests", "xn--gste-boa")]
    {
        let message = invitation(&model, LIFE);
        assert_is(&post.send(&mailer, &to, &message).await, &to, &message, &to);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_ses_does_not_take_is_refused_by_its_code_and_not_kept() {
    let post = Post::open().await;
    post.stack.local.mailbox().set_ses_mode(SesMode::Reject);
    let (mailer, to) = (post.mailer(STRANGER), fresh("refused"));
    let message = invitation(&model(&post.stack).await, LIFE);
    let outcome = mailer.send(&Mail { to: to.clone(), message }).await;
    assert_eq!(outcome, SendResult::Refused("MessageRejected".to_owned()));
    assert!(post.kept().await.iter().all(|kept| kept.to != [to.as_str()]));
}

//! Window of five minutes after a mail: its start, its end, and the wait that a caller is told.

use jiff::SignedDuration;
use presence_domain::ids::UserId;
use presence_domain::invitation::WINDOW;
use presence_mailer::DeliveryOutcome;
use serde_json::json;

use super::fake_mailer::SendOutcome;
use super::invitation_fixture::InvitationFixture;

impl InvitationFixture {
    async fn set_status(&self, status: &str) {
        let body = json!({ "status": status, "password": "canary-pass-1" });
        let answer = self.stack.post(&format!("/user/{}", self.id), &self.fixtures.admin_1.key, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }

    /// Invites the guest again. Returns the seconds to wait, or `None` if the invitation was accepted.
    async fn retry_after(&self) -> Option<i64> {
        let answer = self.stack.invite(&self.id, &self.fixtures.admin_1.key).await;
        (answer.status != 200).then(|| {
            assert_eq!(answer.status, 429, "{}", answer.text);
            answer.header("retry-after").parse().expect("seconds")
        })
    }

    async fn deliver(&self) -> DeliveryOutcome {
        self.process.outbox.deliver(UserId::parse(&self.id).expect("an id")).await.expect("a delivery")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn user_activated_and_invited_thirteen_times_never_has_to_wait_longer_than_five_minutes() {
    let fixture = InvitationFixture::new().await;
    assert_eq!(fixture.deliver().await, DeliveryOutcome::Sent);
    for _ in 0..13 {
        fixture.stack.clock.advance(SignedDuration::from_secs(1));
        fixture.set_status("active").await;
        fixture.set_status("invited").await;
        fixture.deliver().await;
        let seconds = fixture.retry_after().await.expect("an open window");
        assert!((1..=300).contains(&seconds), "{seconds} s");
    }
    assert_eq!(fixture.mails(), 1);
    // The waiting mail is sent when the window of the sent one ends.
    fixture.stack.clock.advance(WINDOW - SignedDuration::from_secs(13) - SignedDuration::from_millis(1));
    assert_eq!(fixture.deliver().await, DeliveryOutcome::Nothing);
    fixture.stack.clock.advance(SignedDuration::from_millis(1));
    assert_eq!(fixture.deliver().await, DeliveryOutcome::Sent);
    fixture.assert_consistent("toggled").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_that_is_cancelled_before_it_is_sent_starts_no_window() {
    // No mail was sent before, so the next one is sent at once.
    let fixture = InvitationFixture::new().await;
    fixture.set_status("active").await;
    fixture.set_status("invited").await;
    assert_eq!(fixture.deliver().await, DeliveryOutcome::Sent);
    // One mail was sent. Its window counts, not that of the mail that was cancelled later.
    fixture.stack.clock.advance(SignedDuration::from_secs(200));
    fixture.set_status("active").await;
    fixture.set_status("invited").await;
    fixture.set_status("active").await;
    fixture.stack.clock.advance(SignedDuration::from_secs(100));
    fixture.set_status("invited").await;
    assert_eq!(fixture.deliver().await, DeliveryOutcome::Sent);
    fixture.assert_consistent("called off").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_mail_that_is_cancelled_starts_no_window() {
    let fixture = InvitationFixture::new().await;
    fixture.fake_mailer.set_outcome(SendOutcome::Refused);
    assert_eq!(fixture.deliver().await, DeliveryOutcome::Refused);
    fixture.set_status("active").await;
    fixture.fake_mailer.set_outcome(SendOutcome::Sent);
    fixture.set_status("invited").await;
    assert_eq!(fixture.deliver().await, DeliveryOutcome::Sent);
}

//! Outcomes that the SES client reports for each kind of answer of the SES protocol.

use std::sync::Arc;

use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::body::SdkBody;
use presence_local::SesMode;
use presence_mailer::message::Message;
use presence_mailer::{Mail, Mailer as _, SendResult};
use presence_mailer_lambda::SesMailer;
use presence_tests::connectors::{Answer, ConnectorLayer, Next};
use presence_tests::{FaultConnector, FaultKind, Plan, TestStack, address, in_process_client};

/// Connector that gives every request the same answer, without a server.
#[derive(Clone)]
struct CannedAnswer {
    status: u16,
    code: &'static str,
    calls: Arc<std::sync::atomic::AtomicU32>,
}

impl ConnectorLayer for CannedAnswer {
    async fn call(&self, _: HttpRequest, _: Next) -> Answer {
        self.calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let status = self.status.try_into().expect("a status");
        let mut response = HttpResponse::new(status, SdkBody::from(r#"{"message":"as the test says"}"#));
        response.headers_mut().insert("x-amzn-errortype", self.code);
        Ok(response)
    }
}

fn mail() -> Mail {
    let message = Message {
        subject: "You are invited".to_owned(),
        html: "<p>Welcome</p>".to_owned(),
        text: "Welcome: https://presence.example/invitation?user=1&token=2".to_owned(),
    };
    Mail { to: address("guest"), message }
}

fn mailer(client: SharedHttpClient, url: &str) -> SesMailer {
    let config = presence_local::sdk_config(url).to_builder().http_client(client).build();
    SesMailer::new(&config, "Presence <no-reply@presence.example>".to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn each_answer_of_ses_has_its_outcome_and_no_request_is_retried() {
    let refused = |code: &str| SendResult::Refused(code.to_owned());
    let unknown = |code: &str| SendResult::Unknown(code.to_owned());
    for (status, code, expected) in [
        (400, "BadRequestException", SendResult::Malformed("BadRequestException".to_owned())),
        (400, "AccountSuspendedException", refused("AccountSuspendedException")),
        (400, "LimitExceededException", refused("LimitExceededException")),
        (400, "MailFromDomainNotVerifiedException", refused("MailFromDomainNotVerifiedException")),
        (400, "MessageRejected", refused("MessageRejected")),
        (404, "NotFoundException", refused("NotFoundException")),
        (400, "SendingPausedException", refused("SendingPausedException")),
        (429, "TooManyRequestsException", refused("TooManyRequestsException")),
        (400, "ThrottlingException", refused("ThrottlingException")),
        (403, "AccessDeniedException", refused("AccessDeniedException")),
        (400, "ExpiredTokenException", refused("ExpiredTokenException")),
        (408, "RequestTimeoutException", unknown("RequestTimeoutException")),
        (500, "InternalFailure", unknown("InternalFailure")),
        (500, "BadRequestException", unknown("BadRequestException")),
        (503, "ServiceUnavailable", unknown("ServiceUnavailable")),
    ] {
        let canned = CannedAnswer { status, code, calls: Arc::default() };
        let outcome = mailer(canned.over(in_process_client()), "http://127.0.0.1:1").send(&mail()).await;
        assert_eq!(outcome, expected, "{status} {code}");
        assert_eq!(canned.calls.load(std::sync::atomic::Ordering::Relaxed), 1, "{status} {code}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn local_ses_behaves_as_its_mode_says() {
    let stack = TestStack::start().await;
    let outbox = stack.local.outbox();
    for (mode, accepted) in [
        (SesMode::Accept, 1),
        (SesMode::Throttle, 1),
        (SesMode::Reject, 1),
        (SesMode::LoseReply, 2),
        (SesMode::Accept, 3),
    ] {
        stack.local.mailbox().set_ses_mode(mode);
        let outcome = outbox.mailer.send(&mail()).await;
        let as_expected = match mode {
            SesMode::Accept => outcome == SendResult::Sent,
            SesMode::Throttle => outcome == SendResult::Refused("TooManyRequestsException".to_owned()),
            SesMode::Reject => outcome == SendResult::Refused("MessageRejected".to_owned()),
            SesMode::LoseReply => matches!(outcome, SendResult::Unknown(_)),
        };
        assert!(as_expected, "{mode:?}: {outcome:?}");
        assert_eq!(stack.local.mailbox().mails().len(), accepted, "{mode:?}");
    }
    let sent = &stack.local.mailbox().mails()[0];
    assert_eq!((&sent.to, sent.subject.as_str()), (&address("guest"), "You are invited"));
    assert_eq!(sent.links, ["https://presence.example/invitation?user=1&token=2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_connection_leaves_the_outcome_unknown_and_no_request_is_retried() {
    let stack = TestStack::start().await;
    let url = stack.local.mailbox_url().replace("/mailbox", "/ses");
    for kind in [FaultKind::LoseReply, FaultKind::RefuseConnection, FaultKind::CutBody, FaultKind::ServerError] {
        let faults = FaultConnector::new();
        faults.restart(Plan::At { call: 1, kind, times: 1 });
        let outcome = mailer(faults.over(in_process_client()), &url).send(&mail()).await;
        assert!(matches!(outcome, SendResult::Unknown(_)), "{kind:?}: {outcome:?}");
        assert_eq!(faults.attempts(), 1, "{kind:?}");
    }
}

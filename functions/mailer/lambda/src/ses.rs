//! Sending by SES.
//!
//! Answers of SES to `SendEmail`, in its own words, and the effect on the mail:
//!
//! | code | text of SES | the mail |
//! |---|---|---|
//! | `BadRequestException` | The input you provided is invalid. | is given up: the message or the address is malformed |
//! | `AccountSuspendedException` | The account's ability to send email has been permanently restricted. | is tried again |
//! | `LimitExceededException` | There are too many instances of the specified resource type. | is tried again |
//! | `MailFromDomainNotVerifiedException` | The sending domain isn't verified. | is tried again |
//! | `MessageRejected` | Contains invalid content; or, in a sandbox: Email address is not verified. | is tried again |
//! | `NotFoundException` | The resource you attempted to access doesn't exist. | is tried again |
//! | `SendingPausedException` | The account's ability to send email is currently paused. | is tried again |
//! | `TooManyRequestsException` | Too many requests have been made to the operation. | is tried again |
//! | any other of status 400 to 499: throttling, missing rights, expired credentials | | is tried again |
//! | 408, 500 and above, or no answer | | may have been sent: is tried again after five minutes |
//!
//! All but the first are trouble of the account, which an operator ends: the mail is not at fault.

use std::time::Duration;

use aws_sdk_sesv2::Client;
use aws_sdk_sesv2::config::Builder;
use aws_sdk_sesv2::config::retry::RetryConfig;
use aws_sdk_sesv2::config::timeout::TimeoutConfig;
use aws_sdk_sesv2::error::{ProvideErrorMetadata as _, SdkError};
use aws_sdk_sesv2::operation::send_email::SendEmailError;
use aws_sdk_sesv2::types::{Body, Content, Destination, EmailContent, Message as SesMessage};
use aws_types::SdkConfig;
use futures::FutureExt as _;
use futures::future::BoxFuture;

use presence_mailer::{Mail, Mailer, SendResult};

/// Longest wait for a connection. Inside AWS one opens in milliseconds.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Longest wait for the answer, far below the time that a claim gives to the sending.
const TIMEOUT: Duration = Duration::from_secs(8);
/// Code of a mail that is wrong itself, now and later.
const MALFORMED: &str = "BadRequestException";
/// Statuses of requests that SES certainly did not take.
const REFUSALS: std::ops::Range<u16> = 400..500;
/// Exception among these: the server gave up waiting for the rest of a request, and may have had all of it.
const REQUEST_TIMEOUT: u16 = 408;

/// Mailer that sends by SES, version 2 of its API.
#[derive(Clone, Debug)]
pub struct SesMailer {
    client: Client,
    sender: String,
}

impl SesMailer {
    /// Builds a mailer for this sender: an address, or a name and an address in angle brackets. It makes one attempt for each mail,
    /// against any configuration: a retry after a timeout could be a second mail.
    pub fn new(config: &SdkConfig, sender: String) -> Self {
        let timeouts = TimeoutConfig::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .operation_attempt_timeout(TIMEOUT)
            .operation_timeout(TIMEOUT)
            .build();
        let config = Builder::from(config).retry_config(RetryConfig::disabled()).timeout_config(timeouts).build();
        Self { client: Client::from_conf(config), sender }
    }

    async fn try_send(&self, mail: &Mail) -> SendResult {
        let Some(content) = content(mail) else { return SendResult::Refused("InvalidContent".to_owned()) };
        let send = self.client.send_email().from_email_address(&self.sender);
        let send = send.destination(Destination::builder().to_addresses(&mail.to).build()).content(content);
        match send.send().await {
            Ok(_) => SendResult::Sent,
            Err(error) => send_result(&error),
        }
    }
}

impl Mailer for SesMailer {
    fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, SendResult> {
        self.try_send(mail).boxed()
    }
}

fn content(mail: &Mail) -> Option<EmailContent> {
    let text = |data: &str| Content::builder().data(data).charset("UTF-8").build().ok();
    let body = Body::builder().html(text(&mail.message.html)?).text(text(&mail.message.text)?).build();
    let message = SesMessage::builder().subject(text(&mail.message.subject)?).body(body).build();
    Some(EmailContent::builder().simple(message).build())
}

/// Returns the result after an error. The mail counts as refused only if SES itself said that it did not take it.
fn send_result(error: &SdkError<SendEmailError>) -> SendResult {
    match error {
        SdkError::ServiceError(answer) => {
            let (code, status) = (code(answer.err().code()), answer.raw().status().as_u16());
            if REFUSALS.contains(&status) && code == MALFORMED {
                SendResult::Malformed(code)
            } else if REFUSALS.contains(&status) && status != REQUEST_TIMEOUT {
                SendResult::Refused(code)
            } else {
                SendResult::Unknown(code)
            }
        }
        SdkError::ConstructionFailure(_) => SendResult::Refused("ConstructionFailure".to_owned()),
        SdkError::TimeoutError(_) => SendResult::Unknown("Timeout".to_owned()),
        SdkError::DispatchFailure(_) => SendResult::Unknown("DispatchFailure".to_owned()),
        _ => SendResult::Unknown("ResponseError".to_owned()),
    }
}

/// Returns the code of an error. Its text may name the address, and must not be logged.
fn code(code: Option<&str>) -> String {
    code.unwrap_or("NoCode").to_owned()
}

//! Some calls with the client that progenitor generates from the description in OpenAPI 3.0. `tools/ci/own-clients` generates it,
//! and sets `PRESENCE_GENERATED_CLIENT` to its file.

use std::num::{NonZeroU32, NonZeroU64};

use reqwest::header::{HeaderMap, HeaderValue};
use serde_json::Value;

/// Generated code.
#[allow(warnings)]
mod client {
    include!(env!("PRESENCE_GENERATED_CLIENT"));
}

use client::{Client, Error, types};

/// Creates a client that sends these keys.
fn client(keys: &[(&'static str, &str)]) -> Client {
    let value = |key: &str| HeaderValue::from_str(key).expect("a key is printable");
    let headers: HeaderMap = keys.iter().map(|(name, key)| (name.parse().expect("a name"), value(key))).collect();
    let http = reqwest::Client::builder().default_headers(headers).build().expect("a client");
    Client::new_with_client(&env("PRESENCE_URL"), http)
}

#[expect(clippy::disallowed_methods, reason = "the keys of the stack are in the environment")]
fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))
}

/// Returns the member `json` of the 400 that a call ended with.
fn refusal<T: std::fmt::Debug>(answer: Result<T, Error<types::Error>>) -> Value {
    match answer {
        Err(Error::ErrorResponse(refused)) if refused.status() == 400 => {
            refused.into_inner().errors.json.expect("the errors of the request")
        }
        other => panic!("the call was not refused: {other:?}"),
    }
}

#[tokio::test]
#[ignore = "it needs a local stack"]
async fn the_generated_client_makes_calls_and_reads_errors() {
    let key = env("PRESENCE_ORG_ADMIN");
    let admin = client(&[("x-api-key", &key)]);
    let me = admin.get_me(Some(false)).await.expect("the caller").into_inner();
    assert!(me.role == types::UserRole::OrgAdmin && me.business_ids.is_empty());
    let ratings = [1, 2].map(|rating| NonZeroU32::new(rating).expect("not zero")).to_vec();
    let three = NonZeroU64::new(3);
    let found =
        admin.search_reviews(None, None, None, None, None, None, three, None, Some(&ratings), None, None, None).await;
    let found = found.expect("reviews").into_inner();
    assert!(found.count > 0 && found.reviews.iter().all(|review| review.rating.get() <= 2));

    // One error is a text, the other one has choices.
    let unknown = "ZZ".parse().expect("the form of a language");
    let fields = refusal(admin.search_categories(&unknown, None, None, NonZeroU64::new(1000), None).await);
    assert!(fields["per_page"].is_string());
    let choices = fields["lang"]["choices"].as_array().expect("choices");
    assert!(choices.contains(&Value::from("FR")) && fields["lang"]["explanation"].is_string());

    // An error of the request as a whole is a text.
    let confused = client(&[("x-api-key", &key), ("x-apikey", "pk_other")]);
    assert!(refusal(confused.get_me(None).await).is_string());
    let nobody = client(&[]).get_me(None).await.expect_err("no key");
    assert!(matches!(nobody, Error::ErrorResponse(refused) if refused.errors.authentication.is_some()));
}

//! Webhook of `--forward-events URL`: an endpoint that is told of all events of the sample's organisation.

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

/// Makes the webhook, unless there is one with this URL. Returns its secret, which is shown once, or `None` if there was one.
pub(crate) async fn forward_events(base_url: &str, key: &str, url: &str) -> anyhow::Result<Option<String>> {
    let (client, webhooks) = (reqwest::Client::new(), format!("{base_url}/webhooks"));
    let list: Value = client.get(&webhooks).bearer_auth(key).send().await?.json().await?;
    let is_there = |list: &Vec<Value>| list.iter().any(|webhook| webhook["url"] == url);
    if list["webhooks"].as_array().is_some_and(is_there) {
        return Ok(None);
    }
    let body = json!({ "url": url, "label": "presence-local --forward-events" });
    let response = client.post(&webhooks).bearer_auth(key).json(&body).send().await?;
    let status = response.status();
    let answer: Value = response.json().await?;
    if !status.is_success() {
        bail!("events cannot be forwarded to {url}: {answer}");
    }
    Ok(Some(answer["secret"].as_str().context("a new webhook has a secret")?.to_owned()))
}

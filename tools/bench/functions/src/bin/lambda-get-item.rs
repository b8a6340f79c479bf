//! Minimal Lambda function with the AWS SDK: one `GetItem` while it starts, which opens the connection, and one for each request.
//!
//! Compared with the empty function, it shows the cost of the SDK and of TLS. Compared with it, our functions show their own cost.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use presence_runtime::aws::Aws;
use presence_runtime::config::Config;
use presence_store::schema::API_KEYS;
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let client = Client::new(&Aws::from_env()?.dynamodb());
    get_item(&client).await?;
    run(service_fn(move |_: LambdaEvent<Value>| {
        let client = client.clone();
        async move {
            get_item(&client).await?;
            Ok::<_, Error>(json!({ "statusCode": 200 }))
        }
    }))
    .await
}

async fn get_item(client: &Client) -> Result<(), Error> {
    let (name, _) = API_KEYS.key.partition;
    let key = HashMap::from([(name.to_owned(), AttributeValue::S("-".to_owned()))]);
    let table = format!("{}{}", Config::DEFAULT_TABLE_PREFIX, API_KEYS.name);
    client.get_item().table_name(table).set_key(Some(key)).send().await?;
    Ok(())
}

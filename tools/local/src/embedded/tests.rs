use super::database::FILE_NAME;
use super::*;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, ConditionCheck, KeySchemaElement, KeyType, ScalarAttributeType,
    TableDescription, TransactWriteItem,
};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;

fn client(dynamo: &EmbeddedDynamo) -> Client {
    Client::new(&crate::sdk_config(&dynamo.endpoint_url()))
}

fn in_process(dynamo: &EmbeddedDynamo) -> Client {
    let config = crate::sdk_config(&dynamo.endpoint_url()).into_builder().http_client(in_process_client());
    Client::new(&config.build())
}

async fn create_table(client: &Client, name: &str) -> Option<TableDescription> {
    let attribute = AttributeDefinition::builder().attribute_name("pk").attribute_type(ScalarAttributeType::S);
    let key = KeySchemaElement::builder().attribute_name("pk").key_type(KeyType::Hash);
    client
        .create_table()
        .table_name(name)
        .billing_mode(BillingMode::PayPerRequest)
        .attribute_definitions(attribute.build().expect("attribute is complete"))
        .key_schema(key.build().expect("key is complete"))
        .send()
        .await
        .expect("table is created")
        .table_description
}

async fn list_tables(client: &Client) -> Vec<String> {
    client.list_tables().send().await.expect("tables are listed").table_names.unwrap_or_default()
}

#[tokio::test]
async fn instances_serve_sdk_clients_and_share_no_tables() {
    let first = EmbeddedDynamo::start(0, None).expect("starts");
    let second = EmbeddedDynamo::start(0, None).expect("a second one starts beside it");
    create_table(&client(&first), "users").await.expect("described");
    assert_eq!(list_tables(&client(&first)).await, ["users"]);
    assert!(list_tables(&client(&second)).await.is_empty());
}

fn status_and_body<E: std::fmt::Debug>(error: &SdkError<E, HttpResponse>) -> (u16, String) {
    let response = error.raw_response().unwrap_or_else(|| panic!("no answer: {error:?}"));
    (response.status().as_u16(), String::from_utf8_lossy(response.body().bytes().expect("in memory")).into_owned())
}

/// Sends requests that fail, and returns the statuses and bodies of the answers.
async fn send_what_fails(client: &Client) -> Vec<(u16, String)> {
    let pk = || AttributeValue::S("1".to_owned());
    let check = ConditionCheck::builder().table_name("users").key("pk", pk());
    let check = check.condition_expression("attribute_not_exists(pk)").build().expect("complete");
    let put = client.put_item().table_name("users").item("pk", pk()).condition_expression("attribute_not_exists(pk)");
    let put = put.return_values_on_condition_check_failure("ALL_OLD".into());
    let transaction =
        client.transact_write_items().transact_items(TransactWriteItem::builder().condition_check(check).build());
    let query = client.query().table_name("users").key_condition_expression("nonsense");
    let get = client.get_item().table_name("nothing").key("pk", pk());
    vec![
        status_and_body(&put.send().await.expect_err("it exists")),
        status_and_body(&transaction.send().await.expect_err("it exists")),
        status_and_body(&query.send().await.expect_err("no expression")),
        status_and_body(&get.send().await.expect_err("no table")),
    ]
}

/// The thread of the calls by HTTP answers one at a time. Behind those of an import, an error would come after seconds.
#[tokio::test]
async fn in_process_client_gets_errors_without_the_thread_of_http() {
    let dynamo = EmbeddedDynamo::start(0, None).expect("starts");
    let network = client(&dynamo);
    create_table(&network, "users").await.expect("described");
    network.put_item().table_name("users").item("pk", AttributeValue::S("1".to_owned())).send().await.expect("is put");
    let never_runs = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let pool = Arc::new(Pool::of(dynamo.database.clone()));
    in_process::register(dynamo.address.port(), pool, never_runs.handle().clone());
    assert_eq!(send_what_fails(&in_process(&dynamo)).await, send_what_fails(&network).await);
    never_runs.shutdown_background();
}

#[tokio::test]
async fn in_process_client_reaches_each_instance_until_it_stops() {
    let dynamo = EmbeddedDynamo::start(0, None).expect("starts");
    let in_process = in_process(&dynamo);
    create_table(&in_process, "users").await.expect("described");
    assert_eq!(list_tables(&client(&dynamo)).await, ["users"]);
    let error = in_process.describe_table().table_name("nothing").send().await.expect_err("there is no such table");
    assert!(error.into_service_error().is_resource_not_found_exception());
    dynamo.stop();
    in_process.list_tables().send().await.expect_err("it is stopped");
}

#[tokio::test]
async fn data_folder_keeps_its_tables_after_a_stop() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let data = folder.path().join("new").join("data");
    let dynamo = EmbeddedDynamo::start(0, Some(&data)).expect("starts in a folder that it creates");
    create_table(&client(&dynamo), "users").await.expect("described");
    dynamo.stop();
    assert!(data.join(FILE_NAME).is_file());
    let dynamo = EmbeddedDynamo::start(0, Some(&data)).expect("starts again");
    assert_eq!(list_tables(&client(&dynamo)).await, ["users"]);
}

#[test]
fn dropped_instance_frees_its_port() {
    let dynamo = EmbeddedDynamo::start(0, None).expect("starts");
    let port = dynamo.address.port();
    let error = EmbeddedDynamo::start(port, None).expect_err("the port is taken");
    assert_eq!(
        error.to_string(),
        format!(
            "cannot listen on 127.0.0.1:{port} for DynamoDB: another program uses the port; --dynamodb-port 0 picks a free one"
        )
    );
    drop(dynamo);
    EmbeddedDynamo::start(port, None).expect("the port is free again");
}

#[test]
fn incomplete_request_does_not_block_the_stop() {
    use std::io::Write;
    let dynamo = EmbeddedDynamo::start(0, None).expect("starts");
    let mut socket = std::net::TcpStream::connect(dynamo.address).expect("connects");
    socket.write_all(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{").expect("writes");
    std::thread::sleep(Duration::from_millis(50));
    dynamo.stop();
}

#[test]
fn error_names_the_folder_that_cannot_be_created() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "not a folder").expect("file is written");
    let error = EmbeddedDynamo::start(0, Some(&file.join("data"))).expect_err("a file is no folder");
    assert!(error.to_string().contains(&file.display().to_string()), "{error}");
    std::fs::create_dir(folder.path().join(FILE_NAME)).expect("folder is made");
    let error = EmbeddedDynamo::start(0, Some(folder.path())).expect_err("a folder is no database");
    assert!(error.to_string().contains(FILE_NAME), "{error}");
}

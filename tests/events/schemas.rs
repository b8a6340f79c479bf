//! JSON Schemas of the events, compared with what is sent and with the examples of the guide.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use presence_domain::audit::UserField;
use presence_domain::event::{EventKind, ReviewField};
use serde_json::{Value, json};

use super::fixture::EventFixture;

fn docs() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/docs")
}

/// Returns the schema of each kind, by its name.
fn schemas() -> BTreeMap<String, Value> {
    let files = std::fs::read_dir(docs().join("events")).expect("a folder").map(|file| file.expect("a file").path());
    let schema = |path: std::path::PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".schema.json"));
        let text = std::fs::read_to_string(&path).expect("a text");
        (name.expect("a schema").to_owned(), serde_json::from_str(&text).expect("JSON"))
    };
    files.map(schema).collect()
}

/// Returns the objections of the schema of an event's kind.
fn objections(event: &Value) -> Vec<String> {
    let schema = &schemas()[event["detail-type"].as_str().expect("a kind")];
    let validator = jsonschema::options().should_validate_formats(true).build(schema).expect("a schema");
    validator.iter_errors(event).map(|error| error.to_string()).collect()
}

/// Returns the detail in the example of the guide for a kind.
fn example(kind: EventKind) -> Value {
    let guide = std::fs::read_to_string(docs().join("events.md")).expect("the guide");
    let start = format!("\n`{}`:\n\n```json\n", kind.as_str());
    let (_, rest) = guide.split_once(&start).unwrap_or_else(|| panic!("an example of {kind:?}"));
    let (example, _) = rest.split_once("\n```").expect("its end");
    serde_json::from_str(example).expect("JSON")
}

#[test]
fn each_kind_has_a_schema_and_each_schema_a_kind() {
    let kinds: BTreeSet<_> = EventKind::ALL.into_iter().map(|kind| kind.as_str().to_owned()).collect();
    let schemas = schemas();
    assert_eq!(schemas.keys().cloned().collect::<BTreeSet<_>>(), kinds);
    for (kind, schema) in schemas {
        assert_eq!(schema["properties"]["detail-type"]["const"], kind.as_str());
        assert_eq!(schema["properties"]["detail"]["additionalProperties"], false, "{kind}");
        let names = &schema["properties"]["detail"]["properties"]["fields"]["items"]["enum"];
        let expected = match kind.split_once('.').expect("a dot").0 {
            "user" => json!(UserField::ALL.map(UserField::as_str)),
            "review" => json!(ReviewField::ALL.map(ReviewField::as_str)),
            _ => Value::Null,
        };
        assert_eq!(names, &expected, "{kind}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_event_that_is_sent_fits_the_schema_of_its_kind() {
    let mut fixture = EventFixture::new().await;
    fixture.change_everything().await;
    let events = fixture.publish().await;
    let sent: BTreeSet<_> = events.iter().map(|event| event["detail-type"].as_str().expect("a kind")).collect();
    assert_eq!(sent, EventKind::ALL.into_iter().map(EventKind::as_str).collect());
    for event in &events {
        assert_eq!(objections(event), Vec::<String>::new(), "{event}");
        let mut wrong = event.clone();
        wrong["detail"]["email"] = json!("ada@example.org");
        assert_eq!(objections(&wrong).len(), 1, "a further member is refused");
        wrong = event.clone();
        wrong["detail"]["version"] = json!("1");
        assert_eq!(objections(&wrong).len(), 1, "a version is a number");
    }
}

#[test]
fn each_kind_has_an_example_in_the_guide_that_fits_its_schema() {
    for kind in EventKind::ALL {
        let (kind, detail) = (kind.as_str(), example(kind));
        let event = json!({ "id": "1", "time": "2026-11-22T10:00:00Z", "source": "presence", "detail-type": kind, "detail": detail });
        assert_eq!(objections(&event), Vec::<String>::new(), "{kind}");
    }
}

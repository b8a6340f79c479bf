//! Body of a request: one JSON object, read strictly.

use lambda_http::Request;
use lambda_http::http::header::CONTENT_TYPE;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::error_answer::RequestError;
use presence_domain::error::Error;

/// Maximum size of a body, in bytes. It holds 2,000 business ids as long as UUIDs, of 39 bytes each.
const MAX_BODY_BYTES: usize = 128 * 1024;

/// Fields of an object, in the order sent.
pub(super) type Object = Vec<(String, Value)>;

/// Refuses a body that is too large. It runs before anything is parsed, and also for an operation that ignores its body.
pub(super) fn check_size(request: &Request) -> Result<(), RequestError> {
    if request.body().len() > MAX_BODY_BYTES { Err(RequestError::BodyTooLarge) } else { Ok(()) }
}

/// Reads the body as a JSON object.
pub(super) fn parse(request: &Request) -> Result<Object, RequestError> {
    let bytes: &[u8] = request.body();
    if !bytes.is_empty() && !has_media_type(request, "application/json") {
        return Err(RequestError::UnsupportedMediaType);
    }
    let StrictObject { fields, repeated } =
        serde_json::from_slice(bytes).map_err(|error| Error::invalid(describe(&error, bytes)))?;
    match repeated {
        Some(name) => Err(Error::invalid_field(name, "is given more than once").into()),
        None => Ok(fields),
    }
}

/// True if the body has this media type, whatever its parameters.
pub(super) fn has_media_type(request: &Request, media_type: &str) -> bool {
    let value = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = value.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case(media_type)
}

/// Describes a syntax error by its position. It repeats nothing of the body, which may hold a key or a password.
fn describe(error: &serde_json::Error, bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "the body must be a JSON object: it is empty".to_owned();
    }
    match error.classify() {
        serde_json::error::Category::Data => "the body must be a JSON object".to_owned(),
        _ => format!("the body is not valid JSON: line {}, column {}", error.line(), error.column()),
    }
}

/// Object that notices repeated fields. A map would silently keep the last value.
struct StrictObject {
    fields: Object,
    /// First name that came twice.
    repeated: Option<String>,
}

impl<'de> Deserialize<'de> for StrictObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(StrictObjectVisitor)
    }
}

struct StrictObjectVisitor;

impl<'de> Visitor<'de> for StrictObjectVisitor {
    type Value = StrictObject;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<StrictObject, A::Error> {
        let mut object = StrictObject { fields: Object::new(), repeated: None };
        let mut names = std::collections::HashSet::new();
        while let Some((name, FieldValue(value))) = map.next_entry::<String, _>()? {
            if !names.insert(name.clone()) {
                object.repeated.get_or_insert_with(|| name.clone());
            }
            object.fields.push((name, value));
        }
        Ok(object)
    }
}

/// Value of a field. No field takes an object, so every object is read as an empty one.
///
/// [`Value`] reads an object whose only name is that of `serde_json`'s raw values as the JSON text in it.
struct FieldValue(Value);

impl<'de> Deserialize<'de> for FieldValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FieldValueVisitor).map(Self)
    }
}

struct FieldValueVisitor;

impl<'de> Visitor<'de> for FieldValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(FieldValue(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        while map.next_entry::<String, FieldValue>()?.is_some() {}
        Ok(Map::new().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_field_is_noticed_however_it_is_escaped() {
        let object: StrictObject = serde_json::from_str(r#"{"a":1,"\u0061":2}"#).expect("valid JSON");
        assert_eq!(object.repeated.as_deref(), Some("a"));
    }

    #[test]
    fn an_object_is_an_object_whatever_its_names_are() {
        let object = r#"{"$serde_json::private::RawValue":"\"ada@example.com\""}"#;
        let fields: StrictObject =
            serde_json::from_str(&format!(r#"{{"a":{object},"b":[{object},1]}}"#)).expect("valid JSON");
        let values: Vec<Value> = fields.fields.into_iter().map(|(_, value)| value).collect();
        assert_eq!(values, [serde_json::json!({}), serde_json::json!([{}, 1])]);
    }

    #[test]
    fn message_about_invalid_json_repeats_nothing_of_it() {
        let bytes = br#"{"password":"hunter42"#;
        let error = serde_json::from_slice::<StrictObject>(bytes).err().expect("an unfinished text");
        assert!(!describe(&error, bytes).contains("hunter"));
    }
}

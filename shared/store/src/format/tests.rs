use super::*;
use std::collections::HashMap;

/// Kind that has had two formats.
const LATER: Kind = Kind { name: "thing", format: 2 };

#[derive(Debug, PartialEq, serde::Deserialize)]
struct EachAttribute {
    text: String,
    number: i64,
    share: f64,
    flag: bool,
    list: Vec<u8>,
    map: HashMap<String, String>,
    missing: Option<u64>,
    null: Option<u64>,
    present: Option<u64>,
    #[serde(default)]
    defaulted: Vec<String>,
}

fn each_attribute() -> Item {
    HashMap::from([
        ("text".to_owned(), AttributeValue::S("Ada".to_owned())),
        ("number".to_owned(), number(i64::MIN)),
        ("share".to_owned(), AttributeValue::N("0.25".to_owned())),
        ("flag".to_owned(), AttributeValue::Bool(true)),
        ("list".to_owned(), AttributeValue::L(vec![number(1), number(255)])),
        ("map".to_owned(), AttributeValue::M(crate::client::read::pk_sk("a", "b"))),
        ("null".to_owned(), AttributeValue::Null(true)),
        ("present".to_owned(), number(u64::MAX)),
        ("unknown".to_owned(), AttributeValue::Ss(vec!["c".to_owned()])),
    ])
}

#[test]
fn attributes_of_every_type_are_parsed_and_unknown_ones_are_ignored() {
    let parsed: EachAttribute = parse(each_attribute()).expect("an item");
    let map = HashMap::from([("pk", "a"), ("sk", "b")].map(|(name, text)| (name.to_owned(), text.to_owned())));
    let expected = EachAttribute {
        text: "Ada".to_owned(),
        number: i64::MIN,
        share: 0.25,
        flag: true,
        list: vec![1, 255],
        map,
        missing: None,
        null: None,
        present: Some(u64::MAX),
        defaulted: Vec::new(),
    };
    assert_eq!(parsed, expected);
}

#[test]
fn attribute_that_is_missing_or_of_another_type_is_an_error_without_its_text() {
    for (name, value) in [
        ("text", number(1)),
        ("number", AttributeValue::S("Ada".to_owned())),
        ("list", AttributeValue::L(vec![number(256)])),
        ("map", AttributeValue::S("Ada".to_owned())),
        ("present", AttributeValue::Bool(true)),
    ] {
        let (mut other, mut without) = (each_attribute(), each_attribute());
        other.insert(name.to_owned(), value);
        let error = parse::<EachAttribute>(other).expect_err(name);
        assert!(matches!(&error, Error::Internal(_)) && !format!("{error:?}").contains("Ada"), "{name}: {error:?}");
        without.remove(name);
        assert_eq!(parse::<EachAttribute>(without).is_err(), name != "present", "{name}");
    }
}

#[test]
fn formats_up_to_the_present_one_are_read_and_newer_ones_are_named() {
    let of = |format: i128| HashMap::from([(FORMAT.to_owned(), number(format))]);
    for (kind, items) in [(LATER, vec![HashMap::new(), of(1), of(2)]), (USER, vec![HashMap::new(), of(1)])] {
        assert!(items.iter().all(|item| check(kind, item).is_ok()), "{kind:?}");
    }
    for (kind, format, expected) in [
        (USER, 2, "a stored user has format 2, and this version knows those up to 1"),
        (LATER, 3, "a stored thing has format 3, and this version knows those up to 2"),
        (ANY, 0, "a stored item has format 0, and this version knows those up to 1"),
    ] {
        match check(kind, &of(format)) {
            Err(Error::Unavailable(source)) => assert_eq!(source.to_string(), expected),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn an_item_is_marked_where_its_format_is_not_the_first() {
    for (kind, format) in [(LATER, Some(2)), (DIRECTORY_HEAD, None)] {
        let mut item = HashMap::new();
        mark(kind, &mut item);
        assert_eq!(item.get(FORMAT).cloned(), format.map(|format: i128| number(format)));
        assert_eq!(format_of(&item), kind.format);
    }
}

//! Values and their bounds, which are the domain's.

use presence_api::read::MAX_SEARCH_CHARS;
use presence_domain::email::MAX_BYTES as EMAIL_MAX_BYTES;
use presence_domain::ids::MAX_ID;
use presence_domain::page::PageRequest;
use presence_domain::password::{MAX_CHARACTERS, MIN_CHARACTERS};
use presence_domain::review::{Partner, Rating, ReviewId, ReviewState};
use presence_domain::user::{Lang, PersonName, Phone, Role, Status};
use utoipa::openapi::schema::{AnyOf, AnyOfBuilder, KnownFormat, SchemaFormat, Type};
use utoipa::openapi::{Object, ObjectBuilder};

/// Text without control characters.
const PRINTABLE: &str = r"^[^\x00-\x1f\x7f-\x9f]*$";
/// The same with something in it.
const PRINTABLE_NOT_BLANK: &str = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$";
/// An id that others gave.
const OPAQUE: &str = "^[0-9A-Za-z:_.-]{1,64}$";
/// A day of the years 1 to 9999, the 29th of February in leap years only, then perhaps a time, then perhaps an offset.
const DATE: &str = concat!(
    "^(?:(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])",
    "-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))",
    "|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)-02-29)",
    r"(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?",
    "(?:Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])?)?$"
);
/// `true` or `false` in any case, `1` or `0`.
const TRUTH: &str = "^(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[01])$";

/// What is added to a value.
pub(crate) type Refine = fn(ObjectBuilder) -> ObjectBuilder;

pub(crate) fn string() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

pub(crate) fn integer() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Integer)
}

/// Nothing more to say than the words do.
pub(crate) fn plain(value: ObjectBuilder) -> ObjectBuilder {
    value
}

pub(crate) fn decimal_id(value: ObjectBuilder) -> ObjectBuilder {
    value.pattern(Some("^[1-9][0-9]{0,15}$"))
}

pub(crate) fn opaque_id(value: ObjectBuilder) -> ObjectBuilder {
    value.pattern(Some(OPAQUE))
}

pub(crate) fn org_id(value: ObjectBuilder) -> ObjectBuilder {
    value.format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64))).minimum(Some(1)).maximum(Some(unsigned(MAX_ID)))
}

pub(crate) fn email(value: ObjectBuilder) -> ObjectBuilder {
    value.format(Some(SchemaFormat::KnownFormat(KnownFormat::Email))).max_length(Some(EMAIL_MAX_BYTES))
}

pub(crate) fn person_name(value: ObjectBuilder) -> ObjectBuilder {
    value.min_length(Some(1)).max_length(Some(PersonName::MAX_CHARS)).pattern(Some(PRINTABLE_NOT_BLANK))
}

pub(crate) fn phone(value: ObjectBuilder) -> ObjectBuilder {
    value.max_length(Some(Phone::MAX_CHARS)).pattern(Some("^[0-9 +.()/-]*$"))
}

pub(crate) fn password(value: ObjectBuilder) -> ObjectBuilder {
    let value = value.format(Some(SchemaFormat::KnownFormat(KnownFormat::Password))).write_only(true);
    value.min_length(Some(MIN_CHARACTERS)).max_length(Some(MAX_CHARACTERS)).pattern(Some(PRINTABLE))
}

pub(crate) fn lang(value: ObjectBuilder) -> ObjectBuilder {
    let any_case =
        |code: &str| -> String { code.chars().flat_map(|c| ['[', c.to_ascii_uppercase(), c, ']']).collect() };
    let codes = Lang::ALL.map(|lang| any_case(lang.as_str())).join("|");
    value.pattern(Some(format!("^(?:{codes})(?:[_-][0-9A-Za-z]{{2,8}})?$")))
}

pub(crate) fn status(value: ObjectBuilder) -> ObjectBuilder {
    value.enum_values(Some(Status::ALL.map(Status::as_str)))
}

pub(crate) fn role(value: ObjectBuilder) -> ObjectBuilder {
    value.enum_values(Some(Role::ALL.map(Role::as_str)))
}

pub(crate) fn success(value: ObjectBuilder) -> ObjectBuilder {
    value.enum_values(Some(["success"]))
}

pub(crate) fn review_id(value: ObjectBuilder) -> ObjectBuilder {
    value.pattern(Some(format!("^[0-9a-z]{{{}}}$", ReviewId::LENGTH)))
}

pub(crate) fn partner(value: ObjectBuilder) -> ObjectBuilder {
    value.enum_values(Some(Partner::ALL.map(Partner::as_str)))
}

pub(crate) fn state(value: ObjectBuilder) -> ObjectBuilder {
    value.enum_values(Some(ReviewState::ALL.map(ReviewState::as_str)))
}

pub(crate) fn rating(value: ObjectBuilder) -> ObjectBuilder {
    let [lowest, .., highest] = Rating::ALL;
    let value = value.format(Some(SchemaFormat::KnownFormat(KnownFormat::Int32)));
    value.minimum(Some(lowest.get())).maximum(Some(highest.get()))
}

pub(crate) fn order(value: ObjectBuilder) -> ObjectBuilder {
    value.enum_values(Some(["-update_date", "update_date"])).default(Some("-update_date".into()))
}

/// A date of a request.
pub(crate) fn written_date(value: ObjectBuilder) -> ObjectBuilder {
    value.pattern(Some(DATE))
}

/// A whole second of an answer, in UTC.
pub(crate) fn second(value: ObjectBuilder) -> ObjectBuilder {
    value.format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
}

pub(crate) fn day(value: ObjectBuilder) -> ObjectBuilder {
    value.format(Some(SchemaFormat::KnownFormat(KnownFormat::Date)))
}

pub(crate) fn search_text(value: ObjectBuilder) -> ObjectBuilder {
    value.max_length(Some(MAX_SEARCH_CHARS)).pattern(Some(PRINTABLE))
}

pub(crate) fn printable(value: ObjectBuilder) -> ObjectBuilder {
    value.pattern(Some(PRINTABLE))
}

/// A language of the directory: an alias of a code, with a script and a region perhaps.
pub(crate) fn directory_lang(value: ObjectBuilder) -> ObjectBuilder {
    value.pattern(Some("^[A-Za-z]{2,3}(?:[_-][A-Za-z]{4})?(?:[_-][0-9A-Za-z]{2,3})?$"))
}

pub(crate) fn page(value: ObjectBuilder) -> ObjectBuilder {
    // No format: `int64` has a least number, and any number below 1 is taken, however far below.
    value.maximum(Some(unsigned(PageRequest::MAX_PAGE))).default(Some(1.into()))
}

pub(crate) fn per_page(value: ObjectBuilder) -> ObjectBuilder {
    value
        .minimum(Some(1))
        .maximum(Some(unsigned(PageRequest::MAX_SIZE)))
        .default(Some(PageRequest::DEFAULT_SIZE.into()))
}

/// A number that counts from one.
pub(crate) fn from_one(value: ObjectBuilder) -> ObjectBuilder {
    value.minimum(Some(1))
}

/// A number that counts from nothing.
pub(crate) fn from_zero(value: ObjectBuilder) -> ObjectBuilder {
    value.minimum(Some(0))
}

/// A truth value of the query string.
pub(crate) fn truth() -> AnyOfBuilder {
    AnyOf::builder().item(Object::with_type(Type::Boolean)).item(string().pattern(Some(TRUTH)))
}

/// A truth value of a body.
pub(crate) fn truth_of_body() -> AnyOfBuilder {
    truth().item(integer().enum_values(Some([0, 1]))).item(Object::with_type(Type::Null))
}

fn unsigned(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

//! Schemas of values, with the bounds of the domain.

use presence_api::read::MAX_SEARCH_CHARS;
use presence_domain::email::MAX_BYTES as EMAIL_MAX_BYTES;
use presence_domain::event::EventKind;
use presence_domain::feed::EventGroup;
use presence_domain::ids::MAX_ID;
use presence_domain::key_rights::{KeyAccess, MAX_LABEL_CHARS, MAX_OVERLAP_SECONDS};
use presence_domain::page::PageRequest;
use presence_domain::password::{MAX_CHARACTERS, MIN_CHARACTERS};
use presence_domain::review::{Partner, Rating, ReplyOutcome, ReplyState, ReviewId, ReviewState};
use presence_domain::review_stats::GroupBy;
use presence_domain::user::{Lang, PersonName, Phone, Role, Status};
use presence_domain::webhook::{DeliveryState, MAX_URL_BYTES, WebhookState};
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::{KnownFormat, SchemaFormat, Type};

/// Pattern of text without control characters, but those from U+0080: clients that are generated for Ruby and PHP cannot name them.
const PRINTABLE: &str = r"^[^\x00-\x1f\x7f]*$";
/// Pattern of text without control characters that is not blank.
const PRINTABLE_NOT_BLANK: &str = r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$";
/// Pattern of an id from another system.
const OPAQUE_ID: &str = "^[0-9A-Za-z:_.-]{1,64}$";
/// Pattern of a day in the years 1 to 9999, with an optional time and offset, or of no text, which counts as not given. 29 February is
/// valid in leap years only.
const DATE: &str = concat!(
    "^(?:(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])",
    "-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))",
    "|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)-02-29)",
    r"(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?",
    "(?:Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])?)?$|^$"
);

/// Function that adds bounds, a pattern or choices to the schema of a value.
pub(crate) type Constraint = fn(ObjectBuilder) -> ObjectBuilder;

pub(crate) fn string() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

pub(crate) fn integer() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Integer)
}

pub(crate) fn boolean() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Boolean)
}

/// Adds nothing.
pub(crate) fn unconstrained(value: ObjectBuilder) -> ObjectBuilder {
    value
}

pub(crate) fn decimal_id(value: ObjectBuilder) -> ObjectBuilder {
    value.pattern(Some("^[1-9][0-9]{0,15}$"))
}

pub(crate) fn key_id(value: ObjectBuilder) -> ObjectBuilder {
    value.pattern(Some("^[1-9][0-9]{0,15}-[0-9a-f]{12}$"))
}

/// Constrains the id of a user or of a key.
pub(crate) fn changed_id(value: ObjectBuilder) -> ObjectBuilder {
    value.pattern(Some("^[1-9][0-9]{0,15}(?:-[0-9a-f]{12})?$"))
}

pub(crate) fn api_key(value: ObjectBuilder) -> ObjectBuilder {
    value.pattern(Some("^pk_[0-9A-Za-z]{36}$"))
}

/// Constrains a label. The service drops control characters before it counts.
pub(crate) fn key_label(value: ObjectBuilder) -> ObjectBuilder {
    value.min_length(Some(1)).max_length(Some(MAX_LABEL_CHARS))
}

/// Constrains the label of a new key, which is not blank.
pub(crate) fn new_key_label(value: ObjectBuilder) -> ObjectBuilder {
    key_label(value).pattern(Some(PRINTABLE_NOT_BLANK))
}

pub(crate) fn key_access(value: ObjectBuilder) -> ObjectBuilder {
    value.enum_values(Some(KeyAccess::ALL.map(KeyAccess::as_str)))
}

pub(crate) fn overlap_seconds(value: ObjectBuilder) -> ObjectBuilder {
    value.minimum(Some(0)).maximum(Some(usize::try_from(MAX_OVERLAP_SECONDS).unwrap_or(usize::MAX)))
}

/// Constrains a network: an address, a slash and the length of a prefix.
pub(crate) fn network(value: ObjectBuilder) -> ObjectBuilder {
    value.pattern(Some("^[0-9A-Fa-f:.]{2,45}/[0-9]{1,3}$"))
}

pub(crate) fn opaque_id(value: ObjectBuilder) -> ObjectBuilder {
    value.pattern(Some(OPAQUE_ID))
}

pub(crate) fn org_id(value: ObjectBuilder) -> ObjectBuilder {
    value.format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64))).minimum(Some(1)).maximum(Some(to_usize(MAX_ID)))
}

pub(crate) fn email(value: ObjectBuilder) -> ObjectBuilder {
    value.format(Some(SchemaFormat::KnownFormat(KnownFormat::Email))).max_length(Some(EMAIL_MAX_BYTES))
}

/// Constrains an address to search for. No text counts as not given, so that the format of addresses does not hold.
pub(crate) fn email_filter(value: ObjectBuilder) -> ObjectBuilder {
    value.max_length(Some(EMAIL_MAX_BYTES)).pattern(Some(PRINTABLE))
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

pub(crate) fn review_state(value: ObjectBuilder) -> ObjectBuilder {
    value.enum_values(Some(ReviewState::ALL.map(ReviewState::as_str)))
}

pub(crate) fn rating(value: ObjectBuilder) -> ObjectBuilder {
    let [lowest, .., highest] = Rating::ALL;
    let value = value.format(Some(SchemaFormat::KnownFormat(KnownFormat::Int32)));
    value.minimum(Some(lowest.get())).maximum(Some(highest.get()))
}

pub(crate) fn settable_state(value: ObjectBuilder) -> ObjectBuilder {
    value.enum_values(Some([ReviewState::Treated, ReviewState::NotTreated].map(ReviewState::as_str)))
}

pub(crate) fn reply_state(value: ObjectBuilder) -> ObjectBuilder {
    value.enum_values(Some(ReplyState::ALL.map(ReplyState::as_str)))
}

pub(crate) fn reply_outcome(value: ObjectBuilder) -> ObjectBuilder {
    value.enum_values(Some(ReplyOutcome::ALL.map(ReplyOutcome::as_str)))
}

pub(crate) fn reply_text(value: ObjectBuilder) -> ObjectBuilder {
    value.min_length(Some(1)).pattern(Some(r"\S"))
}

pub(crate) fn outcome_reason(value: ObjectBuilder) -> ObjectBuilder {
    value
}

pub(crate) fn review_order(value: ObjectBuilder) -> ObjectBuilder {
    value.enum_values(Some(["-update_date", "update_date"])).default(Some("-update_date".into()))
}

pub(crate) fn group_by(value: ObjectBuilder) -> ObjectBuilder {
    value.enum_values(Some(GroupBy::ALL.map(GroupBy::as_str)))
}

/// Constrains an average of ratings.
pub(crate) fn average_rating(value: ObjectBuilder) -> ObjectBuilder {
    let [lowest, .., highest] = Rating::ALL;
    value.minimum(Some(lowest.get())).maximum(Some(highest.get()))
}

/// Constrains the date of a request.
pub(crate) fn request_date(value: ObjectBuilder) -> ObjectBuilder {
    value.pattern(Some(DATE))
}

/// Constrains an instant of a response: whole seconds in UTC.
pub(crate) fn date_time(value: ObjectBuilder) -> ObjectBuilder {
    value.format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
}

pub(crate) fn date(value: ObjectBuilder) -> ObjectBuilder {
    value.format(Some(SchemaFormat::KnownFormat(KnownFormat::Date)))
}

pub(crate) fn search_text(value: ObjectBuilder) -> ObjectBuilder {
    value.max_length(Some(MAX_SEARCH_CHARS)).pattern(Some(PRINTABLE))
}

pub(crate) fn printable(value: ObjectBuilder) -> ObjectBuilder {
    value.pattern(Some(PRINTABLE))
}

/// Constrains a language of the category directory: a code or an alias, with an optional script and region.
pub(crate) fn directory_lang(value: ObjectBuilder) -> ObjectBuilder {
    value.pattern(Some("^[A-Za-z]{2,3}(?:[_-][A-Za-z]{4})?(?:[_-][0-9A-Za-z]{2,3})?$"))
}

pub(crate) fn page(value: ObjectBuilder) -> ObjectBuilder {
    // No format: `int64` has a minimum, and the operation accepts any number below 1.
    value.maximum(Some(to_usize(PageRequest::MAX_PAGE))).default(Some(1.into()))
}

pub(crate) fn per_page(value: ObjectBuilder) -> ObjectBuilder {
    value
        .minimum(Some(1))
        .maximum(Some(to_usize(PageRequest::MAX_SIZE)))
        .default(Some(PageRequest::DEFAULT_SIZE.into()))
}

pub(crate) fn limit(value: ObjectBuilder) -> ObjectBuilder {
    value.minimum(Some(1)).maximum(Some(100))
}

pub(crate) fn cursor(value: ObjectBuilder) -> ObjectBuilder {
    value.pattern(Some("^(now|(none|[1-9][0-9]{0,15})-(0|[1-9][0-9]{0,15}))$"))
}

pub(crate) fn org_or_none(value: ObjectBuilder) -> ObjectBuilder {
    value.pattern(Some("^(none|[1-9][0-9]{0,15})$"))
}

/// Constrains the id of a webhook.
pub(crate) fn webhook_id(value: ObjectBuilder) -> ObjectBuilder {
    value.pattern(Some("^[1-9][0-9]{0,15}-[0-9][0-9a-f]{11}$"))
}

/// Constrains the address of a receiver.
pub(crate) fn webhook_url(value: ObjectBuilder) -> ObjectBuilder {
    value.max_length(Some(MAX_URL_BYTES))
}

/// Constrains the address of a receiver in a request.
pub(crate) fn new_webhook_url(value: ObjectBuilder) -> ObjectBuilder {
    webhook_url(value).pattern(Some(r"^https?://\S+$"))
}

/// Constrains a type of events, or a group of types.
pub(crate) fn event_type(value: ObjectBuilder) -> ObjectBuilder {
    let groups = EventGroup::ALL.into_iter().map(EventGroup::as_str);
    value.enum_values(Some(groups.chain(EventKind::ALL.into_iter().map(EventKind::as_str)).collect::<Vec<_>>()))
}

pub(crate) fn webhook_state(value: ObjectBuilder) -> ObjectBuilder {
    value.enum_values(Some(WebhookState::ALL.map(WebhookState::as_str)))
}

pub(crate) fn delivery_state(value: ObjectBuilder) -> ObjectBuilder {
    value.enum_values(Some(DeliveryState::ALL.map(DeliveryState::as_str)))
}

/// Constrains a position in a feed.
pub(crate) fn position(value: ObjectBuilder) -> ObjectBuilder {
    value.pattern(Some("^[1-9][0-9]{0,15}-(0|[1-9][0-9]{0,15})$"))
}

/// Constrains a number that is at least one.
pub(crate) fn at_least_one(value: ObjectBuilder) -> ObjectBuilder {
    value.minimum(Some(1))
}

/// Constrains a number that is not negative.
pub(crate) fn non_negative(value: ObjectBuilder) -> ObjectBuilder {
    value.minimum(Some(0))
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

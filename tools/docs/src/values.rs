//! Schemas of values, with the bounds of the domain.

use presence_api::read::MAX_SEARCH_CHARS;
use presence_domain::email::MAX_BYTES as EMAIL_MAX_BYTES;
use presence_domain::event::EventKind;
use presence_domain::feed::EventGroup;
use presence_domain::ids::MAX_ID;
use presence_domain::key_rights::{KeyAccess, MAX_LABEL_CHARS, MAX_OVERLAP_SECONDS};
use presence_domain::page::PageRequest;
use presence_domain::password::{MAX_CHARACTERS, MIN_CHARACTERS};
use presence_domain::review::{OutcomeReason, Partner, Rating, ReplyOutcome, ReplyState, ReviewId, ReviewState};
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
/// Pattern of a day in the years 1 to 9999, with an optional time and offset. 29 February is valid in leap years only.
const DATE: &str = concat!(
    "^(?:(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])",
    "-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))",
    "|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)-02-29)",
    r"(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?",
    "(?:Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])?)?$"
);

/// Returns a pattern that admits no text, too.
pub(crate) fn or_no_text(pattern: String) -> String {
    if pattern == PRINTABLE { pattern } else { format!("{pattern}|^$") }
}

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

/// Defines a [`Constraint`] for each kind of value.
macro_rules! constraints {
    ($($(#[$doc:meta])* $name:ident: |$value:ident| $constrained:expr;)*) => {
        $($(#[$doc])* pub(crate) fn $name($value: ObjectBuilder) -> ObjectBuilder {
            $constrained
        })*
    };
}

constraints! {
    unconstrained: |value| value;
    decimal_id: |value| value.pattern(Some("^[1-9][0-9]{0,15}$"));
    key_id: |value| value.pattern(Some("^[1-9][0-9]{0,15}-[0-9a-f]{12}$"));
    /// Id of a user or of a key.
    changed_id: |value| value.pattern(Some("^[1-9][0-9]{0,15}(?:-[0-9a-f]{12})?$"));
    api_key: |value| value.pattern(Some("^pk_[0-9A-Za-z]{36}$"));
    /// A label. The service drops control characters before it counts.
    key_label: |value| value.min_length(Some(1)).max_length(Some(MAX_LABEL_CHARS));
    /// Label that may be blank, which is none.
    optional_label: |value| value.max_length(Some(MAX_LABEL_CHARS));
    /// Label of a new key, which is not blank.
    new_key_label: |value| key_label(value).pattern(Some(PRINTABLE_NOT_BLANK));
    key_access: |value| value.enum_values(Some(KeyAccess::ALL.map(KeyAccess::as_str)));
    overlap_seconds: |value| value.minimum(Some(0)).maximum(Some(usize::try_from(MAX_OVERLAP_SECONDS).unwrap_or(usize::MAX)));
    /// Address, slash and length of a prefix.
    network: |value| value.pattern(Some("^[0-9A-Fa-f:.]{2,45}/[0-9]{1,3}$"));
    opaque_id: |value| value.pattern(Some(OPAQUE_ID));
    org_id: |value| value.format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64))).minimum(Some(1)).maximum(Some(to_usize(MAX_ID)));
    email: |value| value.format(Some(SchemaFormat::KnownFormat(KnownFormat::Email))).max_length(Some(EMAIL_MAX_BYTES));
    /// Address to search for. No text counts as not given, so that the format of addresses does not hold.
    email_filter: |value| value.max_length(Some(EMAIL_MAX_BYTES)).pattern(Some(PRINTABLE));
    person_name: |value| value.min_length(Some(1)).max_length(Some(PersonName::MAX_CHARS)).pattern(Some(PRINTABLE_NOT_BLANK));
    phone: |value| value.max_length(Some(Phone::MAX_CHARS)).pattern(Some("^[0-9 +.()/-]*$"));
    status: |value| value.enum_values(Some(Status::ALL.map(Status::as_str)));
    role: |value| value.enum_values(Some(Role::ALL.map(Role::as_str)));
    success: |value| value.enum_values(Some(["success"]));
    review_id: |value| value.pattern(Some(format!("^[0-9a-z]{{{}}}$", ReviewId::LENGTH)));
    partner: |value| value.enum_values(Some(Partner::ALL.map(Partner::as_str)));
    review_state: |value| value.enum_values(Some(ReviewState::ALL.map(ReviewState::as_str)));
    settable_state: |value| value.enum_values(Some([ReviewState::Treated, ReviewState::NotTreated].map(ReviewState::as_str)));
    reply_state: |value| value.enum_values(Some(ReplyState::ALL.map(ReplyState::as_str)));
    reply_outcome: |value| value.enum_values(Some(ReplyOutcome::ALL.map(ReplyOutcome::as_str)));
    outcome_reason: |value| value.max_length(Some(OutcomeReason::MAX_CHARS));
    reply_text: |value| value.min_length(Some(1)).pattern(Some(r"\S"));
    review_order: |value| value.enum_values(Some(["-update_date", "update_date"])).default(Some("-update_date".into()));
    group_by: |value| value.enum_values(Some(GroupBy::ALL.map(GroupBy::as_str)));
    /// Date of a request.
    request_date: |value| value.pattern(Some(DATE));
    /// Instant of a response: whole seconds in UTC.
    date_time: |value| value.format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)));
    date: |value| value.format(Some(SchemaFormat::KnownFormat(KnownFormat::Date)));
    search_text: |value| value.max_length(Some(MAX_SEARCH_CHARS)).pattern(Some(PRINTABLE));
    printable: |value| value.pattern(Some(PRINTABLE));
    /// Language of the category directory: a code or an alias, with an optional script and region.
    directory_lang: |value| value.pattern(Some("^[A-Za-z]{2,3}(?:[_-][A-Za-z]{4})?(?:[_-][0-9A-Za-z]{2,3})?$"));
    limit: |value| value.minimum(Some(1)).maximum(Some(100));
    cursor: |value| value.pattern(Some("^(now|(none|[1-9][0-9]{0,15})-(0|[1-9][0-9]{0,15}))$"));
    org_or_none: |value| value.pattern(Some("^(none|[1-9][0-9]{0,15})$"));
    webhook_id: |value| value.pattern(Some("^[1-9][0-9]{0,15}-[0-9][0-9a-f]{11}$"));
    webhook_url: |value| value.max_length(Some(MAX_URL_BYTES));
    /// Address of a receiver in a request.
    new_webhook_url: |value| webhook_url(value).pattern(Some(r"^https?://\S+$"));
    webhook_state: |value| value.enum_values(Some(WebhookState::ALL.map(WebhookState::as_str)));
    delivery_state: |value| value.enum_values(Some(DeliveryState::ALL.map(DeliveryState::as_str)));
    /// Position in a feed.
    position: |value| value.pattern(Some("^[1-9][0-9]{0,15}-(0|[1-9][0-9]{0,15})$"));
    at_least_one: |value| value.minimum(Some(1));
    non_negative: |value| value.minimum(Some(0));
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

pub(crate) fn rating(value: ObjectBuilder) -> ObjectBuilder {
    let [lowest, .., highest] = Rating::ALL;
    let value = value.format(Some(SchemaFormat::KnownFormat(KnownFormat::Int32)));
    value.minimum(Some(lowest.get())).maximum(Some(highest.get()))
}

/// Constrains an average of ratings.
pub(crate) fn average_rating(value: ObjectBuilder) -> ObjectBuilder {
    let [lowest, .., highest] = Rating::ALL;
    value.minimum(Some(lowest.get())).maximum(Some(highest.get()))
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

/// Constrains a type of events, or a group of types.
pub(crate) fn event_type(value: ObjectBuilder) -> ObjectBuilder {
    let groups = EventGroup::ALL.into_iter().map(EventGroup::as_str);
    value.enum_values(Some(groups.chain(EventKind::ALL.into_iter().map(EventKind::as_str)).collect::<Vec<_>>()))
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

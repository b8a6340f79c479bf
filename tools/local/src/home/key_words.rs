//! Words for the keys of the tables, such as "user 42" for `USER#42` and `USER`.

use jiff::Timestamp;
use presence_domain::ledger::FacetKey;
use presence_domain::review::{Partner, Rating, ReviewState};
use presence_store::{keys, schema};

/// Number of characters of a digest that are shown.
const DIGEST_CHARACTERS: usize = 12;

/// Returns the words for the key of an item; `None` if no item of the table has a key of this form.
///
/// `table` is the name without the prefix. `sort` is empty in a table without a sort key.
pub(crate) fn words_of_key(table: &str, partition: &str, sort: &str) -> Option<String> {
    if table == schema::USERS.name {
        words_of_users(partition, sort)
    } else if table == schema::API_KEYS.name {
        words_of_api_keys(partition)
    } else if table == schema::BUSINESSES.name {
        words_of_businesses(partition)
    } else if table == schema::CATEGORIES.name {
        words_of_categories(partition)
    } else if table == schema::REVIEWS.name {
        words_of_reviews(partition, sort)
    } else if table == schema::AUDIT.name {
        let user = partition.strip_prefix(keys::USER_PK_PREFIX)?;
        Some(format!("change of user {user} at {}", keys::parse_audit_sk(sort)?))
    } else {
        None
    }
}

/// Returns the words for an attribute that is a key of an index; `None` if it is not, or has another form.
pub(crate) fn words_of_attribute(name: &str, value: &str) -> Option<String> {
    match name {
        "org" => Some(organisation(keys::parse_org_key(value)?.map(|org| org.to_string()).as_deref())),
        "listing" => {
            let (status, name) = value.split_once(keys::SEPARATOR)?;
            Some(format!("{status}, {}", name_words(name)?))
        }
        "effective_listing" => {
            let (second, id) = keys::parse_effective_listing(value)?;
            Some(format!("review {} of {}", id.as_str(), Timestamp::from_second(second).ok()?))
        }
        "city_listing" => {
            let (city, business) = value.rsplit_once('#')?;
            Some(format!("business {business} in the city {city}"))
        }
        "outbox" => outbox_words(value).map(str::to_owned),
        _ => None,
    }
}

fn outbox_words(partition: &str) -> Option<&'static str> {
    match partition {
        keys::OUTBOX_PENDING => Some("waits to be sent"),
        keys::OUTBOX_FAILED => Some("failed for good"),
        keys::OUTBOX_HELD => Some("held back after a restore"),
        keys::OUTBOX_UNREADABLE => Some("could not be read"),
        _ => None,
    }
}

/// Returns the words for the order of users by name: the folded names and the number of the user.
fn name_words(order: &str) -> Option<String> {
    let (names, id) = order.rsplit_once(keys::SEPARATOR)?;
    let (last, first) = names.split_once(keys::SEPARATOR)?;
    Some(format!("{last}, {first}, user {}", id.parse::<u64>().ok()?))
}

fn words_of_users(partition: &str, sort: &str) -> Option<String> {
    if let Some(user) = partition.strip_prefix(keys::USER_PK_PREFIX) {
        return match sort.strip_prefix(keys::MAIL_SK_PREFIX) {
            Some(mail) => Some(format!("mail to user {user}, written at {}", instant(mail.split_once('-')?.0)?)),
            None => (sort == keys::USER_SK).then(|| format!("user {user}")),
        };
    }
    if partition == keys::ROSTERS_PK {
        return Some(format!("head of the directory of users, {}", organisation_of(sort)?));
    }
    if let Some(org) = partition.strip_prefix(keys::CHANGES_PK_PREFIX) {
        let at = instant(sort.split_once('-')?.0)?;
        return Some(format!("change in the directory of users, {}, at {at}", organisation_of(org)?));
    }
    match (partition.split_once('#')?, sort) {
        (("EMAIL", address), keys::LOCK_SK) => Some(format!("reservation of the address {address}")),
        (("MAILBOX", address), keys::MAILBOX_SK) => Some(format!("time of the last mail to {address}")),
        (("MARK", address), keys::MARK_SK) => Some(format!("mark of the address {address}: bounce or complaint")),
        _ => None,
    }
}

fn words_of_api_keys(partition: &str) -> Option<String> {
    let (words, digest) = if let Some(digest) = partition.strip_prefix(keys::BUCKET_PREFIX) {
        ("requests left to the API key with the digest", digest)
    } else if let Some(digest) = partition.strip_prefix(keys::ANSWER_PREFIX) {
        ("answer kept under an idempotency key, with the digest", digest)
    } else {
        ("API key with the digest", partition)
    };
    let is_digest = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_digest.then(|| format!("{words} {}…", &digest[..DIGEST_CHARACTERS]))
}

fn words_of_businesses(partition: &str) -> Option<String> {
    if partition == keys::BUSINESS_CHANGES_HEAD_PK {
        return Some("head of the log of changes of businesses".to_owned());
    }
    match partition.split_once('#')? {
        ("ORG", id) => Some(format!("organisation {id}")),
        ("BUSINESS", id) => Some(format!("business {id}")),
        ("CHANGES", slot) => Some(format!("entry {} of the log of changes of businesses", slot.parse::<u64>().ok()?)),
        _ => None,
    }
}

fn words_of_categories(partition: &str) -> Option<String> {
    if partition == keys::DIRECTORY_PK {
        return Some("head of the directory of categories".to_owned());
    }
    keys::parse_category_pk(partition).map(|id| format!("category {}", id.as_str()))
}

fn words_of_reviews(partition: &str, sort: &str) -> Option<String> {
    if partition == keys::ORGS_WITH_REVIEWS_PK {
        return Some(format!("reviews exist, {}", organisation_of(sort)?));
    }
    if (partition, sort) == (keys::AUDIT_PK, keys::AUDIT_SK) {
        return Some("position of the scheduled audit".to_owned());
    }
    let (kind, rest) = partition.split_once('#')?;
    match kind {
        "R" => (sort == keys::REVIEW_SK).then(|| format!("review {rest}")),
        "LOG" => Some(format!("{} of the log of organisation {rest}", log_words(sort)?)),
        "DIR" => {
            let bucket = keys::parse_directory_bucket_sk(sort)?;
            Some(format!("bucket {bucket} of the directory of trees of organisation {rest}"))
        }
        "TREE" => Some(format!("{} of the tree of {}", tree_item_words(sort)?, set_words(rest)?)),
        "T" => {
            let month = sort.strip_prefix(keys::MONTH_SK_PREFIX);
            let of = month.map(|month| format!("month {month} of "));
            Some(format!("counts of {}{} (first edition)", of.unwrap_or_default(), set_words(rest)?))
        }
        "L" => {
            let (set, month) = rest.rsplit_once('#')?;
            Some(format!("reviews of month {month} of {} (first edition)", set_words(set)?))
        }
        "INGEST" => ingest_words(rest, sort),
        _ => None,
    }
}

fn log_words(sort: &str) -> Option<String> {
    Some(match keys::LogItemKey::parse(sort)? {
        keys::LogItemKey::Lane(lane) => format!("lane {lane}"),
        keys::LogItemKey::Chunk { lane, first } => format!("changes from number {first} on in lane {lane}"),
        keys::LogItemKey::Directory => "directory of trees, at the end".to_owned(),
    })
}

fn tree_item_words(sort: &str) -> Option<String> {
    if let Some((facets, slot)) = keys::parse_node_sk(sort) {
        let of = match facets {
            Some(facets) => of_facets(facets)?,
            None => String::new(),
        };
        return Some(format!("node {slot}{of}"));
    }
    match sort.strip_prefix(keys::ROOT_SK)? {
        "" => Some("root".to_owned()),
        rest => Some(format!("root{}", of_facets(FacetKey::from_number(rest.strip_prefix('#')?.parse().ok()?)?)?)),
    }
}

/// Returns the words for a set of reviews, such as `c:42:paris`.
fn set_words(set: &str) -> Option<String> {
    let (kind, rest) = set.split_once(':')?;
    match (kind, rest.split_once(':')) {
        ("o", None) => Some(organisation(Some(rest))),
        ("c", Some((org, city))) => Some(format!("city {city} of {}", organisation(Some(org)))),
        ("b", Some((org, business))) => Some(format!("business {business} of {}", organisation(Some(org)))),
        _ => None,
    }
}

/// Returns words for the reviews of a facet key, such as " for 5 stars, treated, `partner_8`, with text".
fn of_facets(wanted: FacetKey) -> Option<String> {
    for state in ReviewState::ALL {
        for rating in (1..=5).filter_map(Rating::new) {
            for partner in Partner::ALL {
                for has_content in [true, false] {
                    if FacetKey::new(state, rating, partner, has_content) == wanted {
                        let text = if has_content { "with text" } else { "without text" };
                        let (stars, state, partner) = (rating.get(), state.as_str(), partner.as_str());
                        return Some(format!(" for {stars} stars, {state}, {partner}, {text}"));
                    }
                }
            }
        }
    }
    None
}

fn ingest_words(rest: &str, sort: &str) -> Option<String> {
    if sort == "OBJECT" {
        return Some(format!("newest version of the object {rest}"));
    }
    let mut parts = rest.splitn(3, '#');
    let (_, _, object) = (parts.next()?, parts.next()?, parts.next()?);
    match sort.strip_prefix("SEGMENT#") {
        Some(number) => Some(format!("rows done in segment {} of the object {object}", number.parse::<u64>().ok()?)),
        None => (sort == "PROGRESS").then(|| format!("progress of the object {object}")),
    }
}

fn organisation_of(key: &str) -> Option<String> {
    keys::parse_org_key(key).map(|org| organisation(org.map(|org| org.to_string()).as_deref()))
}

fn organisation(id: Option<&str>) -> String {
    id.map_or_else(|| "no organisation".to_owned(), |id| format!("organisation {id}"))
}

/// Reads milliseconds since 1970.
fn instant(milliseconds: &str) -> Option<Timestamp> {
    Timestamp::from_millisecond(milliseconds.parse().ok()?).ok()
}

#[cfg(test)]
#[path = "key_words_tests.rs"]
mod tests;

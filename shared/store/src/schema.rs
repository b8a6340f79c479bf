//! Definitions of the seven tables and their indexes: the single source of truth. The local stack and `ops tables create` create
//! tables from it. Tests compare the template and every query of the service with it.

use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection, ProjectionType,
    ScalarAttributeType, StreamSpecification, StreamViewType, TimeToLiveSpecification,
};

/// Type of a key attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text, ordered by its UTF-8 bytes.
    Text,
    /// Number, ordered by value.
    Number,
}

/// Key of a table or index: partition attribute, and sort attribute if any.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Partition attribute.
    pub partition: (&'static str, Kind),
    /// Sort attribute.
    pub sort: Option<(&'static str, Kind)>,
}

/// Attributes that an index holds in addition to the keys.
#[derive(Clone, Copy, Debug)]
pub enum Projected {
    /// Every attribute.
    All,
    /// Named attributes.
    Only(&'static [&'static str]),
}

/// Global secondary index of a table.
#[derive(Clone, Copy, Debug)]
pub struct Index {
    /// Name of the index.
    pub name: &'static str,
    /// Key of its entries.
    pub key: Key,
    /// Attributes of its entries.
    pub projected: Projected,
}

/// Images of an item in the records of a table's stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamImages {
    /// Item after a change.
    New,
    /// Items before and after a change.
    NewAndOld,
}

/// Table of the service.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Name without the prefix.
    pub name: &'static str,
    /// Key of its items.
    pub key: Key,
    /// Global secondary indexes.
    pub indexes: &'static [Index],
    /// Images in the table's stream; `None` if it has no stream. The mailer reads that of users, the publisher
    /// those of users, reviews and the audit trail, the deliverer that of events.
    pub stream: Option<StreamImages>,
    /// Number attribute with the expiry of an item, in seconds since 1970. `DynamoDB` removes expired items within days, so readers
    /// check the expiry themselves.
    pub ttl: Option<&'static str>,
}

const fn text(name: &'static str) -> (&'static str, Kind) {
    (name, Kind::Text)
}

const fn number(name: &'static str) -> (&'static str, Kind) {
    (name, Kind::Number)
}

const PK_SK: Key = Key { partition: text("pk"), sort: Some(text("sk")) };

/// Users of an organisation by status and name.
pub const STATUS_INDEX: Index = Index {
    name: "status-index",
    key: Key { partition: text("org"), sort: Some(text("listing")) },
    projected: Projected::Only(&[
        "id",
        "status",
        "first_name",
        "last_name",
        "email",
        "email_key",
        "phone",
        "role",
        "version",
    ]),
};

/// Users of all organisations by domain and address, for operators.
pub const EMAIL_INDEX: Index = Index {
    name: "email-index",
    key: Key { partition: text("email_domain"), sort: Some(text("email_key")) },
    projected: Projected::Only(&["id", "org", "status"]),
};

/// Mails to be sent by due time. Sparse: sent mails are not in it.
pub const OUTBOX_INDEX: Index = Index {
    name: "outbox-index",
    key: Key { partition: text("outbox"), sort: Some(number("due_at")) },
    projected: Projected::All,
};

/// Businesses of an organisation by city.
pub const CITY_INDEX: Index = Index {
    name: "city-index",
    key: Key { partition: number("org_id"), sort: Some(text("city_listing")) },
    projected: Projected::Only(&["id", "city", "name"]),
};

/// Reviews of an organisation by effective date, whole: a page without a filter is one range of it.
pub const LISTING_INDEX: Index = Index {
    name: "listing-index",
    key: Key { partition: number("org_id"), sort: Some(text("effective_listing")) },
    projected: Projected::All,
};

/// Reviews with a reply or a removal on its way, the one that was accepted first on top. Sparse: other reviews are not in it.
pub const REPLIES_INDEX: Index = Index {
    name: "replies-index",
    key: Key { partition: text("pending_reply"), sort: Some(number("requested_at")) },
    projected: Projected::Only(&["org_id"]),
};

/// Records of the audit trail by actor and time, whole.
pub const ACTOR_INDEX: Index = Index {
    name: "actor-index",
    key: Key { partition: text("actor"), sort: Some(text("at")) },
    projected: Projected::All,
};

/// Records of the audit trail by organisation and time, whole.
pub const ORG_INDEX: Index =
    Index { name: "org-index", key: Key { partition: text("org"), sort: Some(text("at")) }, projected: Projected::All };

/// Users, reservations of addresses, heads and change logs of directories, and the outbox.
pub const USERS: Table = Table {
    name: "users",
    key: PK_SK,
    indexes: &[STATUS_INDEX, EMAIL_INDEX, OUTBOX_INDEX],
    stream: Some(StreamImages::New),
    ttl: Some("ttl"),
};
/// API keys by hash, the buckets of their limits, and the answers that are kept under idempotency keys.
pub const API_KEYS: Table = Table {
    name: "api-keys",
    key: Key { partition: text("key_hash"), sort: None },
    indexes: &[],
    stream: None,
    ttl: Some("ttl"),
};
/// Organisations and businesses.
pub const BUSINESSES: Table = Table {
    name: "businesses",
    key: Key { partition: text("pk"), sort: None },
    indexes: &[CITY_INDEX],
    stream: None,
    ttl: None,
};
/// Categories and the head of their directory.
pub const CATEGORIES: Table =
    Table { name: "categories", key: Key { partition: text("pk"), sort: None }, indexes: &[], stream: None, ttl: None };
/// Reviews and their ledger, and the progress of objects of reviews, which expires.
pub const REVIEWS: Table = Table {
    name: "reviews",
    key: PK_SK,
    indexes: &[LISTING_INDEX, REPLIES_INDEX],
    stream: Some(StreamImages::NewAndOld),
    ttl: Some("ttl"),
};

/// Audit trail: a record for each change of a user or key.
pub const AUDIT: Table = Table {
    name: "audit",
    key: Key { partition: text("target"), sort: Some(text("at")) },
    indexes: &[ACTOR_INDEX, ORG_INDEX],
    stream: Some(StreamImages::New),
    ttl: Some("ttl"),
};

/// Feeds of events, webhooks, and the log of their deliveries, which expire.
pub const EVENTS: Table =
    Table { name: "events", key: PK_SK, indexes: &[], stream: Some(StreamImages::New), ttl: Some("ttl") };

/// Tables of every deployment.
pub const TABLES: [Table; 7] = [USERS, API_KEYS, BUSINESSES, CATEGORIES, REVIEWS, AUDIT, EVENTS];

impl Key {
    /// Returns the attributes of the key, partition first.
    pub fn attributes(&self) -> impl Iterator<Item = (&'static str, Kind)> + use<> {
        std::iter::once(self.partition).chain(self.sort)
    }

    fn elements(&self) -> Vec<KeySchemaElement> {
        let kinds = [KeyType::Hash, KeyType::Range];
        let elements = self.attributes().zip(kinds).map(|((name, _), kind)| {
            KeySchemaElement::builder().attribute_name(name).key_type(kind).build().expect("name and kind are set")
        });
        elements.collect()
    }
}

impl Index {
    /// True if a query of the index of this table can see the attribute.
    pub fn holds(&self, table: &Table, attribute: &str) -> bool {
        let in_keys = self.key.attributes().chain(table.key.attributes()).any(|(name, _)| name == attribute);
        in_keys
            || match self.projected {
                Projected::All => true,
                Projected::Only(names) => names.contains(&attribute),
            }
    }

    fn definition(&self) -> GlobalSecondaryIndex {
        let projection = match self.projected {
            Projected::All => Projection::builder().projection_type(ProjectionType::All),
            Projected::Only(names) => Projection::builder()
                .projection_type(ProjectionType::Include)
                .set_non_key_attributes(Some(names.iter().map(|name| (*name).to_owned()).collect())),
        };
        GlobalSecondaryIndex::builder()
            .index_name(self.name)
            .set_key_schema(Some(self.key.elements()))
            .projection(projection.build())
            .build()
            .expect("name and key are set")
    }
}

impl StreamImages {
    /// Returns the spelling of `DynamoDB`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "NEW_IMAGE",
            Self::NewAndOld => "NEW_AND_OLD_IMAGES",
        }
    }

    /// True if a stream with this view has these images, or more.
    pub(crate) fn are_in(self, view: &StreamViewType) -> bool {
        *view == StreamViewType::NewAndOldImages || view.as_str() == self.as_str()
    }

    /// Returns the setting that turns the stream on.
    pub(crate) fn specification(self) -> StreamSpecification {
        let setting = StreamSpecification::builder().stream_enabled(true).stream_view_type(self.as_str().into());
        setting.build().expect("the required field is set")
    }
}

impl Table {
    /// Returns the request that creates the table under its full name, with on-demand capacity.
    pub fn create(
        &self,
        client: &aws_sdk_dynamodb::Client,
        full_name: &str,
    ) -> aws_sdk_dynamodb::operation::create_table::builders::CreateTableFluentBuilder {
        let indexes: Vec<_> = self.indexes.iter().map(Index::definition).collect();
        client
            .create_table()
            .table_name(full_name)
            .billing_mode(BillingMode::PayPerRequest)
            .set_key_schema(Some(self.key.elements()))
            .set_attribute_definitions(Some(self.attribute_definitions()))
            .set_global_secondary_indexes((!indexes.is_empty()).then_some(indexes))
            .set_stream_specification(self.stream.map(StreamImages::specification))
    }

    /// Returns the request that turns the expiry of items on; `None` if no item of the table expires.
    pub fn expire(
        &self,
        client: &aws_sdk_dynamodb::Client,
        full_name: &str,
    ) -> Option<aws_sdk_dynamodb::operation::update_time_to_live::builders::UpdateTimeToLiveFluentBuilder> {
        let ttl = TimeToLiveSpecification::builder().enabled(true).attribute_name(self.ttl?);
        let ttl = ttl.build().expect("the required fields are set");
        Some(client.update_time_to_live().table_name(full_name).time_to_live_specification(ttl))
    }

    fn attribute_definitions(&self) -> Vec<AttributeDefinition> {
        let keys = std::iter::once(&self.key).chain(self.indexes.iter().map(|index| &index.key));
        let mut attributes: Vec<_> = keys.flat_map(Key::attributes).collect();
        attributes.sort_unstable_by_key(|(name, _)| *name);
        attributes.dedup();
        let definitions = attributes.into_iter().map(|(name, kind)| {
            let kind = match kind {
                Kind::Text => ScalarAttributeType::S,
                Kind::Number => ScalarAttributeType::N,
            };
            AttributeDefinition::builder().attribute_name(name).attribute_type(kind).build().expect("both are set")
        });
        definitions.collect()
    }
}

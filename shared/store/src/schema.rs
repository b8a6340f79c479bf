//! The five tables and their indexes, as data: the single truth. The local stack and `ops tables create`
//! make tables from it; a test holds every query of the service against it.

use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection, ProjectionType,
    ScalarAttributeType, StreamSpecification, StreamViewType, TimeToLiveSpecification,
};

/// The type of a key attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text, ordered by its UTF-8 bytes.
    Text,
    /// A number.
    Number,
}

/// A key: partition and, where there is one, sort attribute.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Partition attribute.
    pub partition: (&'static str, Kind),
    /// Sort attribute.
    pub sort: Option<(&'static str, Kind)>,
}

/// What an index holds beside the keys.
#[derive(Clone, Copy, Debug)]
pub enum Projected {
    /// Every attribute.
    All,
    /// These.
    Only(&'static [&'static str]),
}

/// A global secondary index.
#[derive(Clone, Copy, Debug)]
pub struct Index {
    /// Its name.
    pub name: &'static str,
    /// Its key.
    pub key: Key,
    /// What it holds.
    pub projected: Projected,
}

/// A table.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Its name, without the prefix.
    pub name: &'static str,
    /// Its key.
    pub key: Key,
    /// Its indexes.
    pub indexes: &'static [Index],
    /// Whether changes are streamed (to the mailer).
    pub stream: bool,
    /// The number attribute that holds when an item ends, in seconds since 1970. `DynamoDB` removes such items some time
    /// later, within days: whoever reads one looks at its end.
    pub ttl: Option<&'static str>,
}

const fn text(name: &'static str) -> (&'static str, Kind) {
    (name, Kind::Text)
}

const fn number(name: &'static str) -> (&'static str, Kind) {
    (name, Kind::Number)
}

const PK_SK: Key = Key { partition: text("pk"), sort: Some(text("sk")) };

/// By organisation, then status and name.
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

/// By domain, then address: for operators, over all organisations.
pub const EMAIL_INDEX: Index = Index {
    name: "email-index",
    key: Key { partition: text("email_domain"), sort: Some(text("email_key")) },
    projected: Projected::Only(&["id", "org", "status"]),
};

/// Mails to be sent, by the instant when they are due. Sparse: sent mails are not in it.
pub const OUTBOX_INDEX: Index = Index {
    name: "outbox-index",
    key: Key { partition: text("outbox"), sort: Some(number("due_at")) },
    projected: Projected::All,
};

/// The businesses of an organisation by city.
pub const CITY_INDEX: Index = Index {
    name: "city-index",
    key: Key { partition: number("org_id"), sort: Some(text("city_listing")) },
    projected: Projected::Only(&["id", "city", "name"]),
};

/// The reviews of a business by effective date.
pub const BUSINESS_INDEX: Index = Index {
    name: "business-index",
    key: Key { partition: text("business_id"), sort: Some(text("effective_listing")) },
    projected: Projected::Only(&["id", "cell"]),
};

/// Users, e-mail locks, rosters and the outbox.
pub const USERS: Table = Table {
    name: "users",
    key: PK_SK,
    indexes: &[STATUS_INDEX, EMAIL_INDEX, OUTBOX_INDEX],
    stream: true,
    ttl: Some("ttl"),
};
/// API keys by digest.
pub const API_KEYS: Table = Table {
    name: "api-keys",
    key: Key { partition: text("key_hash"), sort: None },
    indexes: &[],
    stream: false,
    ttl: None,
};
/// Organisations and businesses.
pub const BUSINESSES: Table = Table {
    name: "businesses",
    key: Key { partition: text("pk"), sort: None },
    indexes: &[CITY_INDEX],
    stream: false,
    ttl: None,
};
/// The category directory.
pub const CATEGORIES: Table = Table {
    name: "categories",
    key: Key { partition: text("pk"), sort: None },
    indexes: &[],
    stream: false,
    ttl: None,
};
/// Reviews and their ledger.
pub const REVIEWS: Table = Table { name: "reviews", key: PK_SK, indexes: &[BUSINESS_INDEX], stream: false, ttl: None };

/// Every table.
pub const TABLES: [Table; 5] = [USERS, API_KEYS, BUSINESSES, CATEGORIES, REVIEWS];

impl Key {
    /// The attributes of the key, partition first.
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
    /// Whether a query of the index, on this table, can see the attribute.
    #[must_use]
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

impl Table {
    /// The request that creates the table, on demand, under its full name.
    #[must_use]
    pub fn create(
        &self,
        client: &aws_sdk_dynamodb::Client,
        full_name: &str,
    ) -> aws_sdk_dynamodb::operation::create_table::builders::CreateTableFluentBuilder {
        let indexes: Vec<_> = self.indexes.iter().map(Index::definition).collect();
        let stream = StreamSpecification::builder()
            .stream_enabled(true)
            .stream_view_type(StreamViewType::NewImage)
            .build()
            .expect("whether it is enabled is set");
        client
            .create_table()
            .table_name(full_name)
            .billing_mode(BillingMode::PayPerRequest)
            .set_key_schema(Some(self.key.elements()))
            .set_attribute_definitions(Some(self.attribute_definitions()))
            .set_global_secondary_indexes((!indexes.is_empty()).then_some(indexes))
            .set_stream_specification(self.stream.then_some(stream))
    }

    /// The request that has ended items removed; `None` if no item of the table ends.
    #[must_use]
    pub fn expire(
        &self,
        client: &aws_sdk_dynamodb::Client,
        full_name: &str,
    ) -> Option<aws_sdk_dynamodb::operation::update_time_to_live::builders::UpdateTimeToLiveFluentBuilder> {
        let ttl = TimeToLiveSpecification::builder().enabled(true).attribute_name(self.ttl?);
        let ttl = ttl.build().expect("both are set");
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

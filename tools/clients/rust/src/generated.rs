// Written by presence-client-generator from the description of the API. Do not edit.

#[allow(unused_imports)]
pub use progenitor_client::{ByteStream, ClientInfo, Error, ResponseValue};
#[allow(unused_imports)]
use progenitor_client::{encode_path, ClientHooks, OperationInfo, RequestBuilderExt};
/// Types used as operation parameters and responses.
#[allow(clippy::all)]
pub mod types {
    ///Business in an answer.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug)]
    pub struct Business {
        ///City; empty for a business that is in no city.
        pub city: ::std::string::String,
        ///Identifier: opaque text.
        pub id: ::std::string::String,
        ///Display name.
        pub name: ::std::string::String,
        ///Organisation that owns the business.
        pub org_id: i64,
    }
    impl Business {
        pub fn builder() -> builder::Business {
            Default::default()
        }
    }
    ///Answer to a search of businesses: one page of them.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug)]
    pub struct BusinessPage {
        ///The businesses of the page; empty past the last one.
        pub businesses: ::std::vec::Vec<Business>,
        ///Exact number of results on all pages.
        pub count: i64,
        ///Number of the last page with results, or 1 if there are none.
        pub max_page: i64,
        ///Number of this page: the requested one, or 1 for a number below 1.
        pub page: i64,
    }
    impl BusinessPage {
        pub fn builder() -> builder::BusinessPage {
            Default::default()
        }
    }
    ///A category in one language.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug)]
    pub struct Category {
        ///Names of the groups that contain the category, topmost first, in the requested language or in English.
        pub ancestors: ::std::vec::Vec<::std::string::String>,
        ///Readable code.
        pub code: ::std::string::String,
        ///Identifier: opaque text.
        pub id: ::std::string::String,
        ///Name in the requested language, or else in English, or else the code.
        pub name: ::std::string::String,
        ///Ids of the category at the listing partners.
        pub partners: Partners,
    }
    impl Category {
        pub fn builder() -> builder::Category {
            Default::default()
        }
    }
    ///One page of a search.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug)]
    pub struct CategoryPage {
        ///The categories of the page; empty past the last one.
        pub categories: ::std::vec::Vec<Category>,
        ///Exact number of results on all pages.
        pub count: i64,
        ///Number of the last page with results, or 1 if there are none.
        pub max_page: i64,
        ///Number of this page: the requested one, or 1 for a number below 1.
        pub page: i64,
    }
    impl CategoryPage {
        pub fn builder() -> builder::CategoryPage {
            Default::default()
        }
    }
    ///User as search returns it.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug)]
    pub struct FoundUser {
        ///Businesses that the user may WRITE, in the order given. Absent with `display_business_ids=False`.
        #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
        pub business_ids: ::std::vec::Vec<::std::string::String>,
        ///E-mail address as it was typed. It is unique among all users.
        pub email: ::std::string::String,
        ///First name.
        pub first_name: ::std::string::String,
        ///Identifier: a decimal number up to 2^53 − 1, as a string.
        pub id: ::std::string::String,
        ///Last name.
        pub last_name: ::std::string::String,
        ///Phone number; null if there is none.
        #[serde(deserialize_with = "::std::option::Option::deserialize")]
        pub phone: ::std::option::Option<::std::string::String>,
        ///`invited` until the person chooses a password or is made `active`.
        pub status: FoundUserStatus,
    }
    impl FoundUser {
        pub fn builder() -> builder::FoundUser {
            Default::default()
        }
    }
    ///`invited` until the person chooses a password or is made `active`.
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    pub enum FoundUserStatus {
        #[serde(rename = "active")]
        Active,
        #[serde(rename = "invited")]
        Invited,
    }
    impl ::std::fmt::Display for FoundUserStatus {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::Active => f.write_str("active"),
                Self::Invited => f.write_str("invited"),
            }
        }
    }
    impl ::std::str::FromStr for FoundUserStatus {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "active" => Ok(Self::Active),
                "invited" => Ok(Self::Invited),
                _ => Err("invalid value".into()),
            }
        }
    }
    impl ::std::convert::TryFrom<&str> for FoundUserStatus {
        type Error = self::error::ConversionError;
        fn try_from(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    impl ::std::convert::TryFrom<::std::string::String> for FoundUserStatus {
        type Error = self::error::ConversionError;
        fn try_from(
            value: ::std::string::String,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    ///`GetReviewStatsGroupBy`
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    pub enum GetReviewStatsGroupBy {
        #[serde(rename = "day")]
        Day,
        #[serde(rename = "month")]
        Month,
        #[serde(rename = "year")]
        Year,
        #[serde(rename = "business")]
        Business,
        #[serde(rename = "city")]
        City,
        #[serde(rename = "partner")]
        Partner,
        #[serde(rename = "state")]
        State,
        #[serde(rename = "rating")]
        Rating,
    }
    impl ::std::fmt::Display for GetReviewStatsGroupBy {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::Day => f.write_str("day"),
                Self::Month => f.write_str("month"),
                Self::Year => f.write_str("year"),
                Self::Business => f.write_str("business"),
                Self::City => f.write_str("city"),
                Self::Partner => f.write_str("partner"),
                Self::State => f.write_str("state"),
                Self::Rating => f.write_str("rating"),
            }
        }
    }
    impl ::std::str::FromStr for GetReviewStatsGroupBy {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "day" => Ok(Self::Day),
                "month" => Ok(Self::Month),
                "year" => Ok(Self::Year),
                "business" => Ok(Self::Business),
                "city" => Ok(Self::City),
                "partner" => Ok(Self::Partner),
                "state" => Ok(Self::State),
                "rating" => Ok(Self::Rating),
                _ => Err("invalid value".into()),
            }
        }
    }
    impl ::std::convert::TryFrom<&str> for GetReviewStatsGroupBy {
        type Error = self::error::ConversionError;
        fn try_from(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    impl ::std::convert::TryFrom<::std::string::String> for GetReviewStatsGroupBy {
        type Error = self::error::ConversionError;
        fn try_from(
            value: ::std::string::String,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    ///`GetReviewStatsPartnerInItem`
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    pub enum GetReviewStatsPartnerInItem {
        #[serde(rename = "partner_8")]
        Partner8,
        #[serde(rename = "partner_1")]
        Partner1,
        #[serde(rename = "partner_9")]
        Partner9,
    }
    impl ::std::fmt::Display for GetReviewStatsPartnerInItem {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::Partner8 => f.write_str("partner_8"),
                Self::Partner1 => f.write_str("partner_1"),
                Self::Partner9 => f.write_str("partner_9"),
            }
        }
    }
    impl ::std::str::FromStr for GetReviewStatsPartnerInItem {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "partner_8" => Ok(Self::Partner8),
                "partner_1" => Ok(Self::Partner1),
                "partner_9" => Ok(Self::Partner9),
                _ => Err("invalid value".into()),
            }
        }
    }
    impl ::std::convert::TryFrom<&str> for GetReviewStatsPartnerInItem {
        type Error = self::error::ConversionError;
        fn try_from(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    impl ::std::convert::TryFrom<::std::string::String> for GetReviewStatsPartnerInItem {
        type Error = self::error::ConversionError;
        fn try_from(
            value: ::std::string::String,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    ///`GetReviewStatsStateItem`
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    pub enum GetReviewStatsStateItem {
        #[serde(rename = "treated")]
        Treated,
        #[serde(rename = "not_treated")]
        NotTreated,
        #[serde(rename = "deleted")]
        Deleted,
    }
    impl ::std::fmt::Display for GetReviewStatsStateItem {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::Treated => f.write_str("treated"),
                Self::NotTreated => f.write_str("not_treated"),
                Self::Deleted => f.write_str("deleted"),
            }
        }
    }
    impl ::std::str::FromStr for GetReviewStatsStateItem {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "treated" => Ok(Self::Treated),
                "not_treated" => Ok(Self::NotTreated),
                "deleted" => Ok(Self::Deleted),
                _ => Err("invalid value".into()),
            }
        }
    }
    impl ::std::convert::TryFrom<&str> for GetReviewStatsStateItem {
        type Error = self::error::ConversionError;
        fn try_from(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    impl ::std::convert::TryFrom<::std::string::String> for GetReviewStatsStateItem {
        type Error = self::error::ConversionError;
        fn try_from(
            value: ::std::string::String,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    ///Id and name of a category at the listing partner that names its categories.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug)]
    #[serde(deny_unknown_fields)]
    pub struct PartnerCategory {
        ///Id at the partner.
        pub id: ::std::string::String,
        ///Name at the partner.
        pub name: ::std::string::String,
    }
    impl PartnerCategory {
        pub fn builder() -> builder::PartnerCategory {
            Default::default()
        }
    }
    ///Numbers of reviews by partner.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug)]
    #[serde(deny_unknown_fields)]
    pub struct PartnerCounts {
        ///Reviews on this partner.
        pub partner_1: i64,
        ///Reviews on this partner.
        pub partner_8: i64,
        ///Reviews on this partner.
        pub partner_9: i64,
    }
    impl PartnerCounts {
        pub fn builder() -> builder::PartnerCounts {
            Default::default()
        }
    }
    ///Ids of a category at the listing partners. Every partner is present; an empty list means that no id is known.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug)]
    #[serde(deny_unknown_fields)]
    pub struct Partners {
        ///Ids at this partner; empty if none is known.
        pub partner_1: ::std::vec::Vec<::std::string::String>,
        ///Ids at this partner; empty if none is known.
        pub partner_10: ::std::vec::Vec<::std::string::String>,
        ///Ids at this partner; empty if none is known.
        pub partner_11: ::std::vec::Vec<::std::string::String>,
        ///Ids at this partner; empty if none is known.
        pub partner_12: ::std::vec::Vec<::std::string::String>,
        ///Ids at this partner; empty if none is known.
        pub partner_2: ::std::vec::Vec<::std::string::String>,
        ///Ids at this partner; empty if none is known.
        pub partner_3: ::std::vec::Vec<::std::string::String>,
        ///Ids and names at this partner; empty if none is known.
        pub partner_4: ::std::vec::Vec<PartnerCategory>,
        ///Ids at this partner; empty if none is known.
        pub partner_5: ::std::vec::Vec<::std::string::String>,
        ///Ids at this partner; empty if none is known.
        pub partner_6: ::std::vec::Vec<::std::string::String>,
        ///Ids at this partner; empty if none is known.
        pub partner_7: ::std::vec::Vec<::std::string::String>,
        ///Ids at this partner; empty if none is known.
        pub partner_8: ::std::vec::Vec<::std::string::String>,
        ///Ids at this partner; empty if none is known.
        pub partner_9: ::std::vec::Vec<::std::string::String>,
    }
    impl Partners {
        pub fn builder() -> builder::Partners {
            Default::default()
        }
    }
    ///Numbers of reviews by rating.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug)]
    #[serde(deny_unknown_fields)]
    pub struct RatingCounts {
        ///Reviews with the worst rating.
        #[serde(rename = "1")]
        pub x1: i64,
        ///Reviews with two stars.
        #[serde(rename = "2")]
        pub x2: i64,
        ///Reviews with three stars.
        #[serde(rename = "3")]
        pub x3: i64,
        ///Reviews with four stars.
        #[serde(rename = "4")]
        pub x4: i64,
        ///Reviews with the best rating.
        #[serde(rename = "5")]
        pub x5: i64,
    }
    impl RatingCounts {
        pub fn builder() -> builder::RatingCounts {
            Default::default()
        }
    }
    ///Review in an answer: the fields of the interface in their documented order.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug)]
    pub struct Review {
        ///Name of the author; null if unknown.
        #[serde(deserialize_with = "::std::option::Option::deserialize")]
        pub author_name: ::std::option::Option<::std::string::String>,
        ///Business that was reviewed.
        pub business_id: ::std::string::String,
        ///Text; null if there is none or it is blank.
        #[serde(deserialize_with = "::std::option::Option::deserialize")]
        pub content: ::std::option::Option<::std::string::String>,
        ///Time at which the review was written: UTC, whole seconds.
        pub date: ::std::string::String,
        ///Approximate day of the deletion. Only for a `deleted` review, if known.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub delete_date: ::std::option::Option<::std::string::String>,
        ///Identifier of the review in this service. It never changes.
        pub id: ::std::string::String,
        ///Key of the review at the partner: its id there.
        pub key: ::std::string::String,
        ///URL of the review; null if unknown.
        #[serde(deserialize_with = "::std::option::Option::deserialize")]
        pub link: ::std::option::Option<::std::string::String>,
        ///Organisation that owns the business, as a string.
        pub org_id: ::std::string::String,
        ///Listing partner that published the review.
        pub partner: ReviewPartner,
        ///Id at the partner.
        pub partner_id: ::std::string::String,
        ///1, the worst, to 5.
        pub rating: i32,
        ///Reply of the business; null if there is none.
        #[serde(deserialize_with = "::std::option::Option::deserialize")]
        pub reply_comment: ::std::option::Option<::std::string::String>,
        ///`not_treated` until the review is answered or settled. `deleted` when the partner no longer shows it.
        pub state: ReviewState,
        ///Title; null if there is none.
        #[serde(deserialize_with = "::std::option::Option::deserialize")]
        pub title: ::std::option::Option<::std::string::String>,
        ///Time of the last change, or of writing if there was none: UTC, whole seconds. Always present.
        pub update_date: ::std::string::String,
    }
    impl Review {
        pub fn builder() -> builder::Review {
            Default::default()
        }
    }
    ///Group of reviews in an answer.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug)]
    pub struct ReviewGroup {
        ///Average rating, rounded half up to two decimals; null without a review.
        pub average_rating: f64,
        ///Number of reviews.
        pub count: i64,
        ///Property that the reviews have in common: day `YYYY-MM-DD`, month `YYYY-MM`, year `YYYY`, id of a business, city as `business_city` compares it, partner, state, or rating.
        pub key: ::std::string::String,
        ///Name of the city as its business with the lowest id writes it. Only with `group_by=city`.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub name: ::std::option::Option<::std::string::String>,
        ///Number of reviews of each rating.
        pub ratings: RatingCounts,
    }
    impl ReviewGroup {
        pub fn builder() -> builder::ReviewGroup {
            Default::default()
        }
    }
    ///Answer to a search: one page of reviews.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug)]
    pub struct ReviewPage {
        ///Exact number of results on all pages.
        pub count: i64,
        ///Number of the last page with results, or 1 if there are none.
        pub max_page: i64,
        ///Number of this page: the requested one, or 1 for a number below 1.
        pub page: i64,
        ///The reviews of the page; empty past the last one.
        pub reviews: ::std::vec::Vec<Review>,
    }
    impl ReviewPage {
        pub fn builder() -> builder::ReviewPage {
            Default::default()
        }
    }
    ///Listing partner that published the review.
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    pub enum ReviewPartner {
        #[serde(rename = "partner_8")]
        Partner8,
        #[serde(rename = "partner_1")]
        Partner1,
        #[serde(rename = "partner_9")]
        Partner9,
    }
    impl ::std::fmt::Display for ReviewPartner {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::Partner8 => f.write_str("partner_8"),
                Self::Partner1 => f.write_str("partner_1"),
                Self::Partner9 => f.write_str("partner_9"),
            }
        }
    }
    impl ::std::str::FromStr for ReviewPartner {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "partner_8" => Ok(Self::Partner8),
                "partner_1" => Ok(Self::Partner1),
                "partner_9" => Ok(Self::Partner9),
                _ => Err("invalid value".into()),
            }
        }
    }
    impl ::std::convert::TryFrom<&str> for ReviewPartner {
        type Error = self::error::ConversionError;
        fn try_from(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    impl ::std::convert::TryFrom<::std::string::String> for ReviewPartner {
        type Error = self::error::ConversionError;
        fn try_from(
            value: ::std::string::String,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    ///`not_treated` until the review is answered or settled. `deleted` when the partner no longer shows it.
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    pub enum ReviewState {
        #[serde(rename = "treated")]
        Treated,
        #[serde(rename = "not_treated")]
        NotTreated,
        #[serde(rename = "deleted")]
        Deleted,
    }
    impl ::std::fmt::Display for ReviewState {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::Treated => f.write_str("treated"),
                Self::NotTreated => f.write_str("not_treated"),
                Self::Deleted => f.write_str("deleted"),
            }
        }
    }
    impl ::std::str::FromStr for ReviewState {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "treated" => Ok(Self::Treated),
                "not_treated" => Ok(Self::NotTreated),
                "deleted" => Ok(Self::Deleted),
                _ => Err("invalid value".into()),
            }
        }
    }
    impl ::std::convert::TryFrom<&str> for ReviewState {
        type Error = self::error::ConversionError;
        fn try_from(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    impl ::std::convert::TryFrom<::std::string::String> for ReviewState {
        type Error = self::error::ConversionError;
        fn try_from(
            value: ::std::string::String,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    ///Answer with statistics.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug)]
    pub struct ReviewStats {
        ///Average rating, rounded half up to two decimals; null without a review.
        #[serde(deserialize_with = "::std::option::Option::deserialize")]
        pub average_rating: ::std::option::Option<f64>,
        ///Number of reviews.
        pub count: i64,
        ///Groups with at least one review. Only with `group_by`.
        #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
        pub groups: ::std::vec::Vec<ReviewGroup>,
        ///Number of reviews on each partner.
        pub partners: PartnerCounts,
        ///Number of reviews of each rating.
        pub ratings: RatingCounts,
        ///Number of reviews in each state.
        pub states: StateCounts,
        ///Number of reviews with text.
        pub with_content: i64,
        ///Number of reviews without text, or with a blank one.
        pub without_content: i64,
    }
    impl ReviewStats {
        pub fn builder() -> builder::ReviewStats {
            Default::default()
        }
    }
    ///`SearchReviewsOrderBy`
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    pub enum SearchReviewsOrderBy {
        #[serde(rename = "-update_date")]
        XupdateXdate,
        #[serde(rename = "update_date")]
        UpdateXdate,
    }
    impl ::std::fmt::Display for SearchReviewsOrderBy {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::XupdateXdate => f.write_str("-update_date"),
                Self::UpdateXdate => f.write_str("update_date"),
            }
        }
    }
    impl ::std::str::FromStr for SearchReviewsOrderBy {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "-update_date" => Ok(Self::XupdateXdate),
                "update_date" => Ok(Self::UpdateXdate),
                _ => Err("invalid value".into()),
            }
        }
    }
    impl ::std::convert::TryFrom<&str> for SearchReviewsOrderBy {
        type Error = self::error::ConversionError;
        fn try_from(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    impl ::std::convert::TryFrom<::std::string::String> for SearchReviewsOrderBy {
        type Error = self::error::ConversionError;
        fn try_from(
            value: ::std::string::String,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    impl ::std::default::Default for SearchReviewsOrderBy {
        fn default() -> Self {
            SearchReviewsOrderBy::XupdateXdate
        }
    }
    ///`SearchReviewsPartnerInItem`
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    pub enum SearchReviewsPartnerInItem {
        #[serde(rename = "partner_8")]
        Partner8,
        #[serde(rename = "partner_1")]
        Partner1,
        #[serde(rename = "partner_9")]
        Partner9,
    }
    impl ::std::fmt::Display for SearchReviewsPartnerInItem {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::Partner8 => f.write_str("partner_8"),
                Self::Partner1 => f.write_str("partner_1"),
                Self::Partner9 => f.write_str("partner_9"),
            }
        }
    }
    impl ::std::str::FromStr for SearchReviewsPartnerInItem {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "partner_8" => Ok(Self::Partner8),
                "partner_1" => Ok(Self::Partner1),
                "partner_9" => Ok(Self::Partner9),
                _ => Err("invalid value".into()),
            }
        }
    }
    impl ::std::convert::TryFrom<&str> for SearchReviewsPartnerInItem {
        type Error = self::error::ConversionError;
        fn try_from(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    impl ::std::convert::TryFrom<::std::string::String> for SearchReviewsPartnerInItem {
        type Error = self::error::ConversionError;
        fn try_from(
            value: ::std::string::String,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    ///`SearchReviewsStateItem`
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    pub enum SearchReviewsStateItem {
        #[serde(rename = "treated")]
        Treated,
        #[serde(rename = "not_treated")]
        NotTreated,
        #[serde(rename = "deleted")]
        Deleted,
    }
    impl ::std::fmt::Display for SearchReviewsStateItem {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::Treated => f.write_str("treated"),
                Self::NotTreated => f.write_str("not_treated"),
                Self::Deleted => f.write_str("deleted"),
            }
        }
    }
    impl ::std::str::FromStr for SearchReviewsStateItem {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "treated" => Ok(Self::Treated),
                "not_treated" => Ok(Self::NotTreated),
                "deleted" => Ok(Self::Deleted),
                _ => Err("invalid value".into()),
            }
        }
    }
    impl ::std::convert::TryFrom<&str> for SearchReviewsStateItem {
        type Error = self::error::ConversionError;
        fn try_from(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    impl ::std::convert::TryFrom<::std::string::String> for SearchReviewsStateItem {
        type Error = self::error::ConversionError;
        fn try_from(
            value: ::std::string::String,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    ///`SearchUsersStatus`
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    pub enum SearchUsersStatus {
        #[serde(rename = "active")]
        Active,
        #[serde(rename = "invited")]
        Invited,
    }
    impl ::std::fmt::Display for SearchUsersStatus {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::Active => f.write_str("active"),
                Self::Invited => f.write_str("invited"),
            }
        }
    }
    impl ::std::str::FromStr for SearchUsersStatus {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "active" => Ok(Self::Active),
                "invited" => Ok(Self::Invited),
                _ => Err("invalid value".into()),
            }
        }
    }
    impl ::std::convert::TryFrom<&str> for SearchUsersStatus {
        type Error = self::error::ConversionError;
        fn try_from(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    impl ::std::convert::TryFrom<::std::string::String> for SearchUsersStatus {
        type Error = self::error::ConversionError;
        fn try_from(
            value: ::std::string::String,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    ///Numbers of reviews by state.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug)]
    #[serde(deny_unknown_fields)]
    pub struct StateCounts {
        ///Reviews that the partner no longer shows.
        pub deleted: i64,
        ///Reviews that nobody has dealt with yet.
        pub not_treated: i64,
        ///Reviews that are answered or settled.
        pub treated: i64,
    }
    impl StateCounts {
        pub fn builder() -> builder::StateCounts {
            Default::default()
        }
    }
    ///Response to create, update, delete and invite. Invite leaves the id out.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug)]
    pub struct Success {
        ///Id of the user that was created, changed or deleted. Absent in the response to invite.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub id: ::std::option::Option<::std::string::String>,
        ///Always `success`.
        pub status: SuccessStatus,
    }
    impl Success {
        pub fn builder() -> builder::Success {
            Default::default()
        }
    }
    ///Always `success`.
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    pub enum SuccessStatus {
        #[serde(rename = "success")]
        Success,
    }
    impl ::std::fmt::Display for SuccessStatus {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::Success => f.write_str("success"),
            }
        }
    }
    impl ::std::str::FromStr for SuccessStatus {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "success" => Ok(Self::Success),
                _ => Err("invalid value".into()),
            }
        }
    }
    impl ::std::convert::TryFrom<&str> for SuccessStatus {
        type Error = self::error::ConversionError;
        fn try_from(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    impl ::std::convert::TryFrom<::std::string::String> for SuccessStatus {
        type Error = self::error::ConversionError;
        fn try_from(
            value: ::std::string::String,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    ///User as get and me return it.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug)]
    pub struct User {
        ///Businesses that the user may WRITE, in the order given. Absent with `display_business_ids=False`.
        #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
        pub business_ids: ::std::vec::Vec<::std::string::String>,
        ///E-mail address as it was typed. It is unique among all users.
        pub email: ::std::string::String,
        ///First name.
        pub first_name: ::std::string::String,
        ///Identifier: a decimal number up to 2^53 − 1, as a string.
        pub id: ::std::string::String,
        ///Last name.
        pub last_name: ::std::string::String,
        ///Organisation whose businesses the user may READ; null for a PROVIDER without one.
        #[serde(deserialize_with = "::std::option::Option::deserialize")]
        pub org_id: ::std::option::Option<i64>,
        ///Phone number; null if there is none.
        #[serde(deserialize_with = "::std::option::Option::deserialize")]
        pub phone: ::std::option::Option<::std::string::String>,
        ///Role: it decides what the user may do. Each operation lists its roles.
        pub role: UserRole,
        ///`invited` until the person chooses a password or is made `active`.
        pub status: UserStatus,
    }
    impl User {
        pub fn builder() -> builder::User {
            Default::default()
        }
    }
    ///Changes of a user. A field that is left out stays as it is. Unknown fields are refused.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, Default)]
    #[serde(deny_unknown_fields)]
    pub struct UserChange {
        ///Businesses that the user may WRITE: at most 2000 different ones, all of the user's organisation. Stored in this order, without duplicates. The list replaces the old one. Sending back the stored list changes nothing.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub business_ids: ::std::option::Option<::std::vec::Vec<::std::string::String>>,
        ///New address, with the same rules as on create. For an invited user, the pending link becomes invalid, no mail is sent, and the user may be invited again at once.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub email: ::std::option::Option<::std::string::String>,
        ///First name: 1 to 100 characters once trimmed.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub first_name: ::std::option::Option<::std::string::String>,
        ///Language of mails and pages: `en`, `fr`, `es`, `it`, `de` or `pt`, in any case, with or without a region. Null or left out: English.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub lang: ::std::option::Option<::std::string::String>,
        ///Last name: 1 to 100 characters once trimmed.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub last_name: ::std::option::Option<::std::string::String>,
        ///Moves the user to another organisation, which must exist and own the businesses. Only a PROVIDER may do this. Its digits as text are accepted too.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub org_id: ::std::option::Option<i64>,
        ///New password. Ignored if the user is or becomes `invited`.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub password: ::std::option::Option<::std::string::String>,
        ///At most 32 digits, blanks and `+-.()/`. Null or blank: none.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub phone: ::std::option::Option<::std::string::String>,
        ///Not above the caller's own. Left out: unchanged, there is no default on update.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub role: ::std::option::Option<UserChangeRole>,
        ///`active` needs a `password` unless the user has one. `invited` deletes the password, revokes the keys for good and sends an invitation, at the earliest 5 minutes after the last one.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub status: ::std::option::Option<UserChangeStatus>,
    }
    impl UserChange {
        pub fn builder() -> builder::UserChange {
            Default::default()
        }
    }
    ///Not above the caller's own. Left out: unchanged, there is no default on update.
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    pub enum UserChangeRole {
        #[serde(rename = "PROVIDER")]
        Provider,
        #[serde(rename = "ORG_ADMIN")]
        OrgAdmin,
        #[serde(rename = "BUSINESS_MANAGER")]
        BusinessManager,
    }
    impl ::std::fmt::Display for UserChangeRole {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::Provider => f.write_str("PROVIDER"),
                Self::OrgAdmin => f.write_str("ORG_ADMIN"),
                Self::BusinessManager => f.write_str("BUSINESS_MANAGER"),
            }
        }
    }
    impl ::std::str::FromStr for UserChangeRole {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "PROVIDER" => Ok(Self::Provider),
                "ORG_ADMIN" => Ok(Self::OrgAdmin),
                "BUSINESS_MANAGER" => Ok(Self::BusinessManager),
                _ => Err("invalid value".into()),
            }
        }
    }
    impl ::std::convert::TryFrom<&str> for UserChangeRole {
        type Error = self::error::ConversionError;
        fn try_from(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    impl ::std::convert::TryFrom<::std::string::String> for UserChangeRole {
        type Error = self::error::ConversionError;
        fn try_from(
            value: ::std::string::String,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    ///`active` needs a `password` unless the user has one. `invited` deletes the password, revokes the keys for good and sends an invitation, at the earliest 5 minutes after the last one.
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    pub enum UserChangeStatus {
        #[serde(rename = "active")]
        Active,
        #[serde(rename = "invited")]
        Invited,
    }
    impl ::std::fmt::Display for UserChangeStatus {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::Active => f.write_str("active"),
                Self::Invited => f.write_str("invited"),
            }
        }
    }
    impl ::std::str::FromStr for UserChangeStatus {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "active" => Ok(Self::Active),
                "invited" => Ok(Self::Invited),
                _ => Err("invalid value".into()),
            }
        }
    }
    impl ::std::convert::TryFrom<&str> for UserChangeStatus {
        type Error = self::error::ConversionError;
        fn try_from(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    impl ::std::convert::TryFrom<::std::string::String> for UserChangeStatus {
        type Error = self::error::ConversionError;
        fn try_from(
            value: ::std::string::String,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    ///User to create. Unknown fields are refused.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug)]
    #[serde(deny_unknown_fields)]
    pub struct UserCreation {
        ///Businesses that the user may WRITE: at most 2000 different ones, all of the user's organisation. Stored in this order, without duplicates. The list replaces the old one. Sending back the stored list changes nothing.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub business_ids: ::std::option::Option<::std::vec::Vec<::std::string::String>>,
        ///E-mail address: no display name, no IP address, with a top-level domain, ASCII before the @. It must be unique: upper and lower case are the same, but dots and plus tags make a difference. Stored as typed, trimmed.
        pub email: ::std::string::String,
        ///First name: 1 to 100 characters once trimmed.
        pub first_name: ::std::string::String,
        ///Language of mails and pages: `en`, `fr`, `es`, `it`, `de` or `pt`, in any case, with or without a region. Null or left out: English.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub lang: ::std::option::Option<::std::string::String>,
        ///Last name: 1 to 100 characters once trimmed.
        pub last_name: ::std::string::String,
        ///The user's organisation, which must exist. Left out: the caller's own. Required of a PROVIDER without one, unless the new user is a PROVIDER too. Its digits as text are accepted too.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub org_id: ::std::option::Option<i64>,
        ///At least 6 and at most 128 characters, at most 512 bytes, not trimmed. Ignored for `invited`. An `active` user without one cannot sign in with a password until it is set.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub password: ::std::option::Option<::std::string::String>,
        ///At most 32 digits, blanks and `+-.()/`. Null or blank: none.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub phone: ::std::option::Option<::std::string::String>,
        ///Not above the caller's own. Left out: `BUSINESS_MANAGER`.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub role: ::std::option::Option<UserCreationRole>,
        ///True to send the invitation. Left out: true for `invited`, false for `active`. The texts `True` and `False` in any case, and 1 and 0, are accepted too.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub send_invitation: ::std::option::Option<bool>,
        ///Left out: `invited` when `send_invitation` is true, else `active`.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub status: ::std::option::Option<UserCreationStatus>,
    }
    impl UserCreation {
        pub fn builder() -> builder::UserCreation {
            Default::default()
        }
    }
    ///Not above the caller's own. Left out: `BUSINESS_MANAGER`.
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    pub enum UserCreationRole {
        #[serde(rename = "PROVIDER")]
        Provider,
        #[serde(rename = "ORG_ADMIN")]
        OrgAdmin,
        #[serde(rename = "BUSINESS_MANAGER")]
        BusinessManager,
    }
    impl ::std::fmt::Display for UserCreationRole {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::Provider => f.write_str("PROVIDER"),
                Self::OrgAdmin => f.write_str("ORG_ADMIN"),
                Self::BusinessManager => f.write_str("BUSINESS_MANAGER"),
            }
        }
    }
    impl ::std::str::FromStr for UserCreationRole {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "PROVIDER" => Ok(Self::Provider),
                "ORG_ADMIN" => Ok(Self::OrgAdmin),
                "BUSINESS_MANAGER" => Ok(Self::BusinessManager),
                _ => Err("invalid value".into()),
            }
        }
    }
    impl ::std::convert::TryFrom<&str> for UserCreationRole {
        type Error = self::error::ConversionError;
        fn try_from(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    impl ::std::convert::TryFrom<::std::string::String> for UserCreationRole {
        type Error = self::error::ConversionError;
        fn try_from(
            value: ::std::string::String,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    ///Left out: `invited` when `send_invitation` is true, else `active`.
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    pub enum UserCreationStatus {
        #[serde(rename = "active")]
        Active,
        #[serde(rename = "invited")]
        Invited,
    }
    impl ::std::fmt::Display for UserCreationStatus {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::Active => f.write_str("active"),
                Self::Invited => f.write_str("invited"),
            }
        }
    }
    impl ::std::str::FromStr for UserCreationStatus {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "active" => Ok(Self::Active),
                "invited" => Ok(Self::Invited),
                _ => Err("invalid value".into()),
            }
        }
    }
    impl ::std::convert::TryFrom<&str> for UserCreationStatus {
        type Error = self::error::ConversionError;
        fn try_from(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    impl ::std::convert::TryFrom<::std::string::String> for UserCreationStatus {
        type Error = self::error::ConversionError;
        fn try_from(
            value: ::std::string::String,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    ///Page of a search.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug)]
    pub struct UserPage {
        ///Exact number of results on all pages.
        pub count: i64,
        ///Number of the last page with results, or 1 if there are none.
        pub max_page: i64,
        ///Number of this page: the requested one, or 1 for a number below 1.
        pub page: i64,
        ///The users of the page; empty past the last one.
        pub users: ::std::vec::Vec<FoundUser>,
    }
    impl UserPage {
        pub fn builder() -> builder::UserPage {
            Default::default()
        }
    }
    ///Role: it decides what the user may do. Each operation lists its roles.
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    pub enum UserRole {
        #[serde(rename = "PROVIDER")]
        Provider,
        #[serde(rename = "ORG_ADMIN")]
        OrgAdmin,
        #[serde(rename = "BUSINESS_MANAGER")]
        BusinessManager,
    }
    impl ::std::fmt::Display for UserRole {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::Provider => f.write_str("PROVIDER"),
                Self::OrgAdmin => f.write_str("ORG_ADMIN"),
                Self::BusinessManager => f.write_str("BUSINESS_MANAGER"),
            }
        }
    }
    impl ::std::str::FromStr for UserRole {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "PROVIDER" => Ok(Self::Provider),
                "ORG_ADMIN" => Ok(Self::OrgAdmin),
                "BUSINESS_MANAGER" => Ok(Self::BusinessManager),
                _ => Err("invalid value".into()),
            }
        }
    }
    impl ::std::convert::TryFrom<&str> for UserRole {
        type Error = self::error::ConversionError;
        fn try_from(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    impl ::std::convert::TryFrom<::std::string::String> for UserRole {
        type Error = self::error::ConversionError;
        fn try_from(
            value: ::std::string::String,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    ///Numbers of users by status.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug)]
    pub struct UserStats {
        ///Number of these users who are `active`.
        pub activate_count: i64,
        ///Number of users that a search without filters returns for the same key.
        pub count: i64,
        ///Number of these users who are `invited`.
        pub invited_count: i64,
    }
    impl UserStats {
        pub fn builder() -> builder::UserStats {
            Default::default()
        }
    }
    ///`invited` until the person chooses a password or is made `active`.
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    pub enum UserStatus {
        #[serde(rename = "active")]
        Active,
        #[serde(rename = "invited")]
        Invited,
    }
    impl ::std::fmt::Display for UserStatus {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::Active => f.write_str("active"),
                Self::Invited => f.write_str("invited"),
            }
        }
    }
    impl ::std::str::FromStr for UserStatus {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "active" => Ok(Self::Active),
                "invited" => Ok(Self::Invited),
                _ => Err("invalid value".into()),
            }
        }
    }
    impl ::std::convert::TryFrom<&str> for UserStatus {
        type Error = self::error::ConversionError;
        fn try_from(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    impl ::std::convert::TryFrom<::std::string::String> for UserStatus {
        type Error = self::error::ConversionError;
        fn try_from(
            value: ::std::string::String,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    /// Types for composing complex structures.
    pub mod builder {
        #[derive(Clone, Debug)]
        pub struct Business {
            city: ::std::result::Result<::std::string::String, ::std::string::String>,
            id: ::std::result::Result<::std::string::String, ::std::string::String>,
            name: ::std::result::Result<::std::string::String, ::std::string::String>,
            org_id: ::std::result::Result<i64, ::std::string::String>,
        }
        impl ::std::default::Default for Business {
            fn default() -> Self {
                Self {
                    city: Err("no value supplied for city".to_string()),
                    id: Err("no value supplied for id".to_string()),
                    name: Err("no value supplied for name".to_string()),
                    org_id: Err("no value supplied for org_id".to_string()),
                }
            }
        }
        impl Business {
            pub fn city<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.city = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for city: {e}")
                    });
                self
            }
            pub fn id<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.id = value
                    .try_into()
                    .map_err(|e| format!("error converting supplied value for id: {e}"));
                self
            }
            pub fn name<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.name = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for name: {e}")
                    });
                self
            }
            pub fn org_id<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.org_id = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for org_id: {e}")
                    });
                self
            }
        }
        impl ::std::convert::TryFrom<Business> for super::Business {
            type Error = super::error::ConversionError;
            fn try_from(
                value: Business,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    city: value.city?,
                    id: value.id?,
                    name: value.name?,
                    org_id: value.org_id?,
                })
            }
        }
        impl ::std::convert::From<super::Business> for Business {
            fn from(value: super::Business) -> Self {
                Self {
                    city: Ok(value.city),
                    id: Ok(value.id),
                    name: Ok(value.name),
                    org_id: Ok(value.org_id),
                }
            }
        }
        #[derive(Clone, Debug)]
        pub struct BusinessPage {
            businesses: ::std::result::Result<
                ::std::vec::Vec<super::Business>,
                ::std::string::String,
            >,
            count: ::std::result::Result<i64, ::std::string::String>,
            max_page: ::std::result::Result<i64, ::std::string::String>,
            page: ::std::result::Result<i64, ::std::string::String>,
        }
        impl ::std::default::Default for BusinessPage {
            fn default() -> Self {
                Self {
                    businesses: Err("no value supplied for businesses".to_string()),
                    count: Err("no value supplied for count".to_string()),
                    max_page: Err("no value supplied for max_page".to_string()),
                    page: Err("no value supplied for page".to_string()),
                }
            }
        }
        impl BusinessPage {
            pub fn businesses<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::vec::Vec<super::Business>>,
                T::Error: ::std::fmt::Display,
            {
                self.businesses = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for businesses: {e}")
                    });
                self
            }
            pub fn count<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.count = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for count: {e}")
                    });
                self
            }
            pub fn max_page<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.max_page = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for max_page: {e}")
                    });
                self
            }
            pub fn page<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.page = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for page: {e}")
                    });
                self
            }
        }
        impl ::std::convert::TryFrom<BusinessPage> for super::BusinessPage {
            type Error = super::error::ConversionError;
            fn try_from(
                value: BusinessPage,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    businesses: value.businesses?,
                    count: value.count?,
                    max_page: value.max_page?,
                    page: value.page?,
                })
            }
        }
        impl ::std::convert::From<super::BusinessPage> for BusinessPage {
            fn from(value: super::BusinessPage) -> Self {
                Self {
                    businesses: Ok(value.businesses),
                    count: Ok(value.count),
                    max_page: Ok(value.max_page),
                    page: Ok(value.page),
                }
            }
        }
        #[derive(Clone, Debug)]
        pub struct Category {
            ancestors: ::std::result::Result<
                ::std::vec::Vec<::std::string::String>,
                ::std::string::String,
            >,
            code: ::std::result::Result<::std::string::String, ::std::string::String>,
            id: ::std::result::Result<::std::string::String, ::std::string::String>,
            name: ::std::result::Result<::std::string::String, ::std::string::String>,
            partners: ::std::result::Result<super::Partners, ::std::string::String>,
        }
        impl ::std::default::Default for Category {
            fn default() -> Self {
                Self {
                    ancestors: Err("no value supplied for ancestors".to_string()),
                    code: Err("no value supplied for code".to_string()),
                    id: Err("no value supplied for id".to_string()),
                    name: Err("no value supplied for name".to_string()),
                    partners: Err("no value supplied for partners".to_string()),
                }
            }
        }
        impl Category {
            pub fn ancestors<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::vec::Vec<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.ancestors = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for ancestors: {e}")
                    });
                self
            }
            pub fn code<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.code = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for code: {e}")
                    });
                self
            }
            pub fn id<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.id = value
                    .try_into()
                    .map_err(|e| format!("error converting supplied value for id: {e}"));
                self
            }
            pub fn name<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.name = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for name: {e}")
                    });
                self
            }
            pub fn partners<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<super::Partners>,
                T::Error: ::std::fmt::Display,
            {
                self.partners = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for partners: {e}")
                    });
                self
            }
        }
        impl ::std::convert::TryFrom<Category> for super::Category {
            type Error = super::error::ConversionError;
            fn try_from(
                value: Category,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    ancestors: value.ancestors?,
                    code: value.code?,
                    id: value.id?,
                    name: value.name?,
                    partners: value.partners?,
                })
            }
        }
        impl ::std::convert::From<super::Category> for Category {
            fn from(value: super::Category) -> Self {
                Self {
                    ancestors: Ok(value.ancestors),
                    code: Ok(value.code),
                    id: Ok(value.id),
                    name: Ok(value.name),
                    partners: Ok(value.partners),
                }
            }
        }
        #[derive(Clone, Debug)]
        pub struct CategoryPage {
            categories: ::std::result::Result<
                ::std::vec::Vec<super::Category>,
                ::std::string::String,
            >,
            count: ::std::result::Result<i64, ::std::string::String>,
            max_page: ::std::result::Result<i64, ::std::string::String>,
            page: ::std::result::Result<i64, ::std::string::String>,
        }
        impl ::std::default::Default for CategoryPage {
            fn default() -> Self {
                Self {
                    categories: Err("no value supplied for categories".to_string()),
                    count: Err("no value supplied for count".to_string()),
                    max_page: Err("no value supplied for max_page".to_string()),
                    page: Err("no value supplied for page".to_string()),
                }
            }
        }
        impl CategoryPage {
            pub fn categories<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::vec::Vec<super::Category>>,
                T::Error: ::std::fmt::Display,
            {
                self.categories = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for categories: {e}")
                    });
                self
            }
            pub fn count<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.count = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for count: {e}")
                    });
                self
            }
            pub fn max_page<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.max_page = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for max_page: {e}")
                    });
                self
            }
            pub fn page<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.page = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for page: {e}")
                    });
                self
            }
        }
        impl ::std::convert::TryFrom<CategoryPage> for super::CategoryPage {
            type Error = super::error::ConversionError;
            fn try_from(
                value: CategoryPage,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    categories: value.categories?,
                    count: value.count?,
                    max_page: value.max_page?,
                    page: value.page?,
                })
            }
        }
        impl ::std::convert::From<super::CategoryPage> for CategoryPage {
            fn from(value: super::CategoryPage) -> Self {
                Self {
                    categories: Ok(value.categories),
                    count: Ok(value.count),
                    max_page: Ok(value.max_page),
                    page: Ok(value.page),
                }
            }
        }
        #[derive(Clone, Debug)]
        pub struct FoundUser {
            business_ids: ::std::result::Result<
                ::std::vec::Vec<::std::string::String>,
                ::std::string::String,
            >,
            email: ::std::result::Result<::std::string::String, ::std::string::String>,
            first_name: ::std::result::Result<
                ::std::string::String,
                ::std::string::String,
            >,
            id: ::std::result::Result<::std::string::String, ::std::string::String>,
            last_name: ::std::result::Result<
                ::std::string::String,
                ::std::string::String,
            >,
            phone: ::std::result::Result<
                ::std::option::Option<::std::string::String>,
                ::std::string::String,
            >,
            status: ::std::result::Result<super::FoundUserStatus, ::std::string::String>,
        }
        impl ::std::default::Default for FoundUser {
            fn default() -> Self {
                Self {
                    business_ids: Ok(Default::default()),
                    email: Err("no value supplied for email".to_string()),
                    first_name: Err("no value supplied for first_name".to_string()),
                    id: Err("no value supplied for id".to_string()),
                    last_name: Err("no value supplied for last_name".to_string()),
                    phone: Err("no value supplied for phone".to_string()),
                    status: Err("no value supplied for status".to_string()),
                }
            }
        }
        impl FoundUser {
            pub fn business_ids<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::vec::Vec<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.business_ids = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for business_ids: {e}")
                    });
                self
            }
            pub fn email<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.email = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for email: {e}")
                    });
                self
            }
            pub fn first_name<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.first_name = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for first_name: {e}")
                    });
                self
            }
            pub fn id<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.id = value
                    .try_into()
                    .map_err(|e| format!("error converting supplied value for id: {e}"));
                self
            }
            pub fn last_name<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.last_name = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for last_name: {e}")
                    });
                self
            }
            pub fn phone<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.phone = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for phone: {e}")
                    });
                self
            }
            pub fn status<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<super::FoundUserStatus>,
                T::Error: ::std::fmt::Display,
            {
                self.status = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for status: {e}")
                    });
                self
            }
        }
        impl ::std::convert::TryFrom<FoundUser> for super::FoundUser {
            type Error = super::error::ConversionError;
            fn try_from(
                value: FoundUser,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    business_ids: value.business_ids?,
                    email: value.email?,
                    first_name: value.first_name?,
                    id: value.id?,
                    last_name: value.last_name?,
                    phone: value.phone?,
                    status: value.status?,
                })
            }
        }
        impl ::std::convert::From<super::FoundUser> for FoundUser {
            fn from(value: super::FoundUser) -> Self {
                Self {
                    business_ids: Ok(value.business_ids),
                    email: Ok(value.email),
                    first_name: Ok(value.first_name),
                    id: Ok(value.id),
                    last_name: Ok(value.last_name),
                    phone: Ok(value.phone),
                    status: Ok(value.status),
                }
            }
        }
        #[derive(Clone, Debug)]
        pub struct PartnerCategory {
            id: ::std::result::Result<::std::string::String, ::std::string::String>,
            name: ::std::result::Result<::std::string::String, ::std::string::String>,
        }
        impl ::std::default::Default for PartnerCategory {
            fn default() -> Self {
                Self {
                    id: Err("no value supplied for id".to_string()),
                    name: Err("no value supplied for name".to_string()),
                }
            }
        }
        impl PartnerCategory {
            pub fn id<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.id = value
                    .try_into()
                    .map_err(|e| format!("error converting supplied value for id: {e}"));
                self
            }
            pub fn name<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.name = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for name: {e}")
                    });
                self
            }
        }
        impl ::std::convert::TryFrom<PartnerCategory> for super::PartnerCategory {
            type Error = super::error::ConversionError;
            fn try_from(
                value: PartnerCategory,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    id: value.id?,
                    name: value.name?,
                })
            }
        }
        impl ::std::convert::From<super::PartnerCategory> for PartnerCategory {
            fn from(value: super::PartnerCategory) -> Self {
                Self {
                    id: Ok(value.id),
                    name: Ok(value.name),
                }
            }
        }
        #[derive(Clone, Debug)]
        pub struct PartnerCounts {
            partner_1: ::std::result::Result<i64, ::std::string::String>,
            partner_8: ::std::result::Result<i64, ::std::string::String>,
            partner_9: ::std::result::Result<i64, ::std::string::String>,
        }
        impl ::std::default::Default for PartnerCounts {
            fn default() -> Self {
                Self {
                    partner_1: Err("no value supplied for partner_1".to_string()),
                    partner_8: Err("no value supplied for partner_8".to_string()),
                    partner_9: Err("no value supplied for partner_9".to_string()),
                }
            }
        }
        impl PartnerCounts {
            pub fn partner_1<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.partner_1 = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for partner_1: {e}")
                    });
                self
            }
            pub fn partner_8<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.partner_8 = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for partner_8: {e}")
                    });
                self
            }
            pub fn partner_9<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.partner_9 = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for partner_9: {e}")
                    });
                self
            }
        }
        impl ::std::convert::TryFrom<PartnerCounts> for super::PartnerCounts {
            type Error = super::error::ConversionError;
            fn try_from(
                value: PartnerCounts,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    partner_1: value.partner_1?,
                    partner_8: value.partner_8?,
                    partner_9: value.partner_9?,
                })
            }
        }
        impl ::std::convert::From<super::PartnerCounts> for PartnerCounts {
            fn from(value: super::PartnerCounts) -> Self {
                Self {
                    partner_1: Ok(value.partner_1),
                    partner_8: Ok(value.partner_8),
                    partner_9: Ok(value.partner_9),
                }
            }
        }
        #[derive(Clone, Debug)]
        pub struct Partners {
            partner_1: ::std::result::Result<
                ::std::vec::Vec<::std::string::String>,
                ::std::string::String,
            >,
            partner_10: ::std::result::Result<
                ::std::vec::Vec<::std::string::String>,
                ::std::string::String,
            >,
            partner_11: ::std::result::Result<
                ::std::vec::Vec<::std::string::String>,
                ::std::string::String,
            >,
            partner_12: ::std::result::Result<
                ::std::vec::Vec<::std::string::String>,
                ::std::string::String,
            >,
            partner_2: ::std::result::Result<
                ::std::vec::Vec<::std::string::String>,
                ::std::string::String,
            >,
            partner_3: ::std::result::Result<
                ::std::vec::Vec<::std::string::String>,
                ::std::string::String,
            >,
            partner_4: ::std::result::Result<
                ::std::vec::Vec<super::PartnerCategory>,
                ::std::string::String,
            >,
            partner_5: ::std::result::Result<
                ::std::vec::Vec<::std::string::String>,
                ::std::string::String,
            >,
            partner_6: ::std::result::Result<
                ::std::vec::Vec<::std::string::String>,
                ::std::string::String,
            >,
            partner_7: ::std::result::Result<
                ::std::vec::Vec<::std::string::String>,
                ::std::string::String,
            >,
            partner_8: ::std::result::Result<
                ::std::vec::Vec<::std::string::String>,
                ::std::string::String,
            >,
            partner_9: ::std::result::Result<
                ::std::vec::Vec<::std::string::String>,
                ::std::string::String,
            >,
        }
        impl ::std::default::Default for Partners {
            fn default() -> Self {
                Self {
                    partner_1: Err("no value supplied for partner_1".to_string()),
                    partner_10: Err("no value supplied for partner_10".to_string()),
                    partner_11: Err("no value supplied for partner_11".to_string()),
                    partner_12: Err("no value supplied for partner_12".to_string()),
                    partner_2: Err("no value supplied for partner_2".to_string()),
                    partner_3: Err("no value supplied for partner_3".to_string()),
                    partner_4: Err("no value supplied for partner_4".to_string()),
                    partner_5: Err("no value supplied for partner_5".to_string()),
                    partner_6: Err("no value supplied for partner_6".to_string()),
                    partner_7: Err("no value supplied for partner_7".to_string()),
                    partner_8: Err("no value supplied for partner_8".to_string()),
                    partner_9: Err("no value supplied for partner_9".to_string()),
                }
            }
        }
        impl Partners {
            pub fn partner_1<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::vec::Vec<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.partner_1 = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for partner_1: {e}")
                    });
                self
            }
            pub fn partner_10<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::vec::Vec<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.partner_10 = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for partner_10: {e}")
                    });
                self
            }
            pub fn partner_11<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::vec::Vec<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.partner_11 = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for partner_11: {e}")
                    });
                self
            }
            pub fn partner_12<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::vec::Vec<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.partner_12 = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for partner_12: {e}")
                    });
                self
            }
            pub fn partner_2<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::vec::Vec<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.partner_2 = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for partner_2: {e}")
                    });
                self
            }
            pub fn partner_3<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::vec::Vec<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.partner_3 = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for partner_3: {e}")
                    });
                self
            }
            pub fn partner_4<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::vec::Vec<super::PartnerCategory>>,
                T::Error: ::std::fmt::Display,
            {
                self.partner_4 = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for partner_4: {e}")
                    });
                self
            }
            pub fn partner_5<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::vec::Vec<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.partner_5 = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for partner_5: {e}")
                    });
                self
            }
            pub fn partner_6<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::vec::Vec<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.partner_6 = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for partner_6: {e}")
                    });
                self
            }
            pub fn partner_7<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::vec::Vec<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.partner_7 = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for partner_7: {e}")
                    });
                self
            }
            pub fn partner_8<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::vec::Vec<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.partner_8 = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for partner_8: {e}")
                    });
                self
            }
            pub fn partner_9<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::vec::Vec<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.partner_9 = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for partner_9: {e}")
                    });
                self
            }
        }
        impl ::std::convert::TryFrom<Partners> for super::Partners {
            type Error = super::error::ConversionError;
            fn try_from(
                value: Partners,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    partner_1: value.partner_1?,
                    partner_10: value.partner_10?,
                    partner_11: value.partner_11?,
                    partner_12: value.partner_12?,
                    partner_2: value.partner_2?,
                    partner_3: value.partner_3?,
                    partner_4: value.partner_4?,
                    partner_5: value.partner_5?,
                    partner_6: value.partner_6?,
                    partner_7: value.partner_7?,
                    partner_8: value.partner_8?,
                    partner_9: value.partner_9?,
                })
            }
        }
        impl ::std::convert::From<super::Partners> for Partners {
            fn from(value: super::Partners) -> Self {
                Self {
                    partner_1: Ok(value.partner_1),
                    partner_10: Ok(value.partner_10),
                    partner_11: Ok(value.partner_11),
                    partner_12: Ok(value.partner_12),
                    partner_2: Ok(value.partner_2),
                    partner_3: Ok(value.partner_3),
                    partner_4: Ok(value.partner_4),
                    partner_5: Ok(value.partner_5),
                    partner_6: Ok(value.partner_6),
                    partner_7: Ok(value.partner_7),
                    partner_8: Ok(value.partner_8),
                    partner_9: Ok(value.partner_9),
                }
            }
        }
        #[derive(Clone, Debug)]
        pub struct RatingCounts {
            x1: ::std::result::Result<i64, ::std::string::String>,
            x2: ::std::result::Result<i64, ::std::string::String>,
            x3: ::std::result::Result<i64, ::std::string::String>,
            x4: ::std::result::Result<i64, ::std::string::String>,
            x5: ::std::result::Result<i64, ::std::string::String>,
        }
        impl ::std::default::Default for RatingCounts {
            fn default() -> Self {
                Self {
                    x1: Err("no value supplied for x1".to_string()),
                    x2: Err("no value supplied for x2".to_string()),
                    x3: Err("no value supplied for x3".to_string()),
                    x4: Err("no value supplied for x4".to_string()),
                    x5: Err("no value supplied for x5".to_string()),
                }
            }
        }
        impl RatingCounts {
            pub fn x1<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.x1 = value
                    .try_into()
                    .map_err(|e| format!("error converting supplied value for x1: {e}"));
                self
            }
            pub fn x2<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.x2 = value
                    .try_into()
                    .map_err(|e| format!("error converting supplied value for x2: {e}"));
                self
            }
            pub fn x3<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.x3 = value
                    .try_into()
                    .map_err(|e| format!("error converting supplied value for x3: {e}"));
                self
            }
            pub fn x4<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.x4 = value
                    .try_into()
                    .map_err(|e| format!("error converting supplied value for x4: {e}"));
                self
            }
            pub fn x5<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.x5 = value
                    .try_into()
                    .map_err(|e| format!("error converting supplied value for x5: {e}"));
                self
            }
        }
        impl ::std::convert::TryFrom<RatingCounts> for super::RatingCounts {
            type Error = super::error::ConversionError;
            fn try_from(
                value: RatingCounts,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    x1: value.x1?,
                    x2: value.x2?,
                    x3: value.x3?,
                    x4: value.x4?,
                    x5: value.x5?,
                })
            }
        }
        impl ::std::convert::From<super::RatingCounts> for RatingCounts {
            fn from(value: super::RatingCounts) -> Self {
                Self {
                    x1: Ok(value.x1),
                    x2: Ok(value.x2),
                    x3: Ok(value.x3),
                    x4: Ok(value.x4),
                    x5: Ok(value.x5),
                }
            }
        }
        #[derive(Clone, Debug)]
        pub struct Review {
            author_name: ::std::result::Result<
                ::std::option::Option<::std::string::String>,
                ::std::string::String,
            >,
            business_id: ::std::result::Result<
                ::std::string::String,
                ::std::string::String,
            >,
            content: ::std::result::Result<
                ::std::option::Option<::std::string::String>,
                ::std::string::String,
            >,
            date: ::std::result::Result<::std::string::String, ::std::string::String>,
            delete_date: ::std::result::Result<
                ::std::option::Option<::std::string::String>,
                ::std::string::String,
            >,
            id: ::std::result::Result<::std::string::String, ::std::string::String>,
            key: ::std::result::Result<::std::string::String, ::std::string::String>,
            link: ::std::result::Result<
                ::std::option::Option<::std::string::String>,
                ::std::string::String,
            >,
            org_id: ::std::result::Result<::std::string::String, ::std::string::String>,
            partner: ::std::result::Result<super::ReviewPartner, ::std::string::String>,
            partner_id: ::std::result::Result<
                ::std::string::String,
                ::std::string::String,
            >,
            rating: ::std::result::Result<i32, ::std::string::String>,
            reply_comment: ::std::result::Result<
                ::std::option::Option<::std::string::String>,
                ::std::string::String,
            >,
            state: ::std::result::Result<super::ReviewState, ::std::string::String>,
            title: ::std::result::Result<
                ::std::option::Option<::std::string::String>,
                ::std::string::String,
            >,
            update_date: ::std::result::Result<
                ::std::string::String,
                ::std::string::String,
            >,
        }
        impl ::std::default::Default for Review {
            fn default() -> Self {
                Self {
                    author_name: Err("no value supplied for author_name".to_string()),
                    business_id: Err("no value supplied for business_id".to_string()),
                    content: Err("no value supplied for content".to_string()),
                    date: Err("no value supplied for date".to_string()),
                    delete_date: Ok(Default::default()),
                    id: Err("no value supplied for id".to_string()),
                    key: Err("no value supplied for key".to_string()),
                    link: Err("no value supplied for link".to_string()),
                    org_id: Err("no value supplied for org_id".to_string()),
                    partner: Err("no value supplied for partner".to_string()),
                    partner_id: Err("no value supplied for partner_id".to_string()),
                    rating: Err("no value supplied for rating".to_string()),
                    reply_comment: Err(
                        "no value supplied for reply_comment".to_string(),
                    ),
                    state: Err("no value supplied for state".to_string()),
                    title: Err("no value supplied for title".to_string()),
                    update_date: Err("no value supplied for update_date".to_string()),
                }
            }
        }
        impl Review {
            pub fn author_name<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.author_name = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for author_name: {e}")
                    });
                self
            }
            pub fn business_id<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.business_id = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for business_id: {e}")
                    });
                self
            }
            pub fn content<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.content = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for content: {e}")
                    });
                self
            }
            pub fn date<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.date = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for date: {e}")
                    });
                self
            }
            pub fn delete_date<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.delete_date = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for delete_date: {e}")
                    });
                self
            }
            pub fn id<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.id = value
                    .try_into()
                    .map_err(|e| format!("error converting supplied value for id: {e}"));
                self
            }
            pub fn key<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.key = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for key: {e}")
                    });
                self
            }
            pub fn link<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.link = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for link: {e}")
                    });
                self
            }
            pub fn org_id<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.org_id = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for org_id: {e}")
                    });
                self
            }
            pub fn partner<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<super::ReviewPartner>,
                T::Error: ::std::fmt::Display,
            {
                self.partner = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for partner: {e}")
                    });
                self
            }
            pub fn partner_id<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.partner_id = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for partner_id: {e}")
                    });
                self
            }
            pub fn rating<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i32>,
                T::Error: ::std::fmt::Display,
            {
                self.rating = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for rating: {e}")
                    });
                self
            }
            pub fn reply_comment<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.reply_comment = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for reply_comment: {e}")
                    });
                self
            }
            pub fn state<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<super::ReviewState>,
                T::Error: ::std::fmt::Display,
            {
                self.state = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for state: {e}")
                    });
                self
            }
            pub fn title<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.title = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for title: {e}")
                    });
                self
            }
            pub fn update_date<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.update_date = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for update_date: {e}")
                    });
                self
            }
        }
        impl ::std::convert::TryFrom<Review> for super::Review {
            type Error = super::error::ConversionError;
            fn try_from(
                value: Review,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    author_name: value.author_name?,
                    business_id: value.business_id?,
                    content: value.content?,
                    date: value.date?,
                    delete_date: value.delete_date?,
                    id: value.id?,
                    key: value.key?,
                    link: value.link?,
                    org_id: value.org_id?,
                    partner: value.partner?,
                    partner_id: value.partner_id?,
                    rating: value.rating?,
                    reply_comment: value.reply_comment?,
                    state: value.state?,
                    title: value.title?,
                    update_date: value.update_date?,
                })
            }
        }
        impl ::std::convert::From<super::Review> for Review {
            fn from(value: super::Review) -> Self {
                Self {
                    author_name: Ok(value.author_name),
                    business_id: Ok(value.business_id),
                    content: Ok(value.content),
                    date: Ok(value.date),
                    delete_date: Ok(value.delete_date),
                    id: Ok(value.id),
                    key: Ok(value.key),
                    link: Ok(value.link),
                    org_id: Ok(value.org_id),
                    partner: Ok(value.partner),
                    partner_id: Ok(value.partner_id),
                    rating: Ok(value.rating),
                    reply_comment: Ok(value.reply_comment),
                    state: Ok(value.state),
                    title: Ok(value.title),
                    update_date: Ok(value.update_date),
                }
            }
        }
        #[derive(Clone, Debug)]
        pub struct ReviewGroup {
            average_rating: ::std::result::Result<f64, ::std::string::String>,
            count: ::std::result::Result<i64, ::std::string::String>,
            key: ::std::result::Result<::std::string::String, ::std::string::String>,
            name: ::std::result::Result<
                ::std::option::Option<::std::string::String>,
                ::std::string::String,
            >,
            ratings: ::std::result::Result<super::RatingCounts, ::std::string::String>,
        }
        impl ::std::default::Default for ReviewGroup {
            fn default() -> Self {
                Self {
                    average_rating: Err(
                        "no value supplied for average_rating".to_string(),
                    ),
                    count: Err("no value supplied for count".to_string()),
                    key: Err("no value supplied for key".to_string()),
                    name: Ok(Default::default()),
                    ratings: Err("no value supplied for ratings".to_string()),
                }
            }
        }
        impl ReviewGroup {
            pub fn average_rating<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<f64>,
                T::Error: ::std::fmt::Display,
            {
                self.average_rating = value
                    .try_into()
                    .map_err(|e| {
                        format!(
                            "error converting supplied value for average_rating: {e}"
                        )
                    });
                self
            }
            pub fn count<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.count = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for count: {e}")
                    });
                self
            }
            pub fn key<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.key = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for key: {e}")
                    });
                self
            }
            pub fn name<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.name = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for name: {e}")
                    });
                self
            }
            pub fn ratings<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<super::RatingCounts>,
                T::Error: ::std::fmt::Display,
            {
                self.ratings = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for ratings: {e}")
                    });
                self
            }
        }
        impl ::std::convert::TryFrom<ReviewGroup> for super::ReviewGroup {
            type Error = super::error::ConversionError;
            fn try_from(
                value: ReviewGroup,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    average_rating: value.average_rating?,
                    count: value.count?,
                    key: value.key?,
                    name: value.name?,
                    ratings: value.ratings?,
                })
            }
        }
        impl ::std::convert::From<super::ReviewGroup> for ReviewGroup {
            fn from(value: super::ReviewGroup) -> Self {
                Self {
                    average_rating: Ok(value.average_rating),
                    count: Ok(value.count),
                    key: Ok(value.key),
                    name: Ok(value.name),
                    ratings: Ok(value.ratings),
                }
            }
        }
        #[derive(Clone, Debug)]
        pub struct ReviewPage {
            count: ::std::result::Result<i64, ::std::string::String>,
            max_page: ::std::result::Result<i64, ::std::string::String>,
            page: ::std::result::Result<i64, ::std::string::String>,
            reviews: ::std::result::Result<
                ::std::vec::Vec<super::Review>,
                ::std::string::String,
            >,
        }
        impl ::std::default::Default for ReviewPage {
            fn default() -> Self {
                Self {
                    count: Err("no value supplied for count".to_string()),
                    max_page: Err("no value supplied for max_page".to_string()),
                    page: Err("no value supplied for page".to_string()),
                    reviews: Err("no value supplied for reviews".to_string()),
                }
            }
        }
        impl ReviewPage {
            pub fn count<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.count = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for count: {e}")
                    });
                self
            }
            pub fn max_page<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.max_page = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for max_page: {e}")
                    });
                self
            }
            pub fn page<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.page = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for page: {e}")
                    });
                self
            }
            pub fn reviews<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::vec::Vec<super::Review>>,
                T::Error: ::std::fmt::Display,
            {
                self.reviews = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for reviews: {e}")
                    });
                self
            }
        }
        impl ::std::convert::TryFrom<ReviewPage> for super::ReviewPage {
            type Error = super::error::ConversionError;
            fn try_from(
                value: ReviewPage,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    count: value.count?,
                    max_page: value.max_page?,
                    page: value.page?,
                    reviews: value.reviews?,
                })
            }
        }
        impl ::std::convert::From<super::ReviewPage> for ReviewPage {
            fn from(value: super::ReviewPage) -> Self {
                Self {
                    count: Ok(value.count),
                    max_page: Ok(value.max_page),
                    page: Ok(value.page),
                    reviews: Ok(value.reviews),
                }
            }
        }
        #[derive(Clone, Debug)]
        pub struct ReviewStats {
            average_rating: ::std::result::Result<
                ::std::option::Option<f64>,
                ::std::string::String,
            >,
            count: ::std::result::Result<i64, ::std::string::String>,
            groups: ::std::result::Result<
                ::std::vec::Vec<super::ReviewGroup>,
                ::std::string::String,
            >,
            partners: ::std::result::Result<super::PartnerCounts, ::std::string::String>,
            ratings: ::std::result::Result<super::RatingCounts, ::std::string::String>,
            states: ::std::result::Result<super::StateCounts, ::std::string::String>,
            with_content: ::std::result::Result<i64, ::std::string::String>,
            without_content: ::std::result::Result<i64, ::std::string::String>,
        }
        impl ::std::default::Default for ReviewStats {
            fn default() -> Self {
                Self {
                    average_rating: Err(
                        "no value supplied for average_rating".to_string(),
                    ),
                    count: Err("no value supplied for count".to_string()),
                    groups: Ok(Default::default()),
                    partners: Err("no value supplied for partners".to_string()),
                    ratings: Err("no value supplied for ratings".to_string()),
                    states: Err("no value supplied for states".to_string()),
                    with_content: Err("no value supplied for with_content".to_string()),
                    without_content: Err(
                        "no value supplied for without_content".to_string(),
                    ),
                }
            }
        }
        impl ReviewStats {
            pub fn average_rating<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<f64>>,
                T::Error: ::std::fmt::Display,
            {
                self.average_rating = value
                    .try_into()
                    .map_err(|e| {
                        format!(
                            "error converting supplied value for average_rating: {e}"
                        )
                    });
                self
            }
            pub fn count<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.count = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for count: {e}")
                    });
                self
            }
            pub fn groups<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::vec::Vec<super::ReviewGroup>>,
                T::Error: ::std::fmt::Display,
            {
                self.groups = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for groups: {e}")
                    });
                self
            }
            pub fn partners<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<super::PartnerCounts>,
                T::Error: ::std::fmt::Display,
            {
                self.partners = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for partners: {e}")
                    });
                self
            }
            pub fn ratings<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<super::RatingCounts>,
                T::Error: ::std::fmt::Display,
            {
                self.ratings = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for ratings: {e}")
                    });
                self
            }
            pub fn states<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<super::StateCounts>,
                T::Error: ::std::fmt::Display,
            {
                self.states = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for states: {e}")
                    });
                self
            }
            pub fn with_content<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.with_content = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for with_content: {e}")
                    });
                self
            }
            pub fn without_content<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.without_content = value
                    .try_into()
                    .map_err(|e| {
                        format!(
                            "error converting supplied value for without_content: {e}"
                        )
                    });
                self
            }
        }
        impl ::std::convert::TryFrom<ReviewStats> for super::ReviewStats {
            type Error = super::error::ConversionError;
            fn try_from(
                value: ReviewStats,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    average_rating: value.average_rating?,
                    count: value.count?,
                    groups: value.groups?,
                    partners: value.partners?,
                    ratings: value.ratings?,
                    states: value.states?,
                    with_content: value.with_content?,
                    without_content: value.without_content?,
                })
            }
        }
        impl ::std::convert::From<super::ReviewStats> for ReviewStats {
            fn from(value: super::ReviewStats) -> Self {
                Self {
                    average_rating: Ok(value.average_rating),
                    count: Ok(value.count),
                    groups: Ok(value.groups),
                    partners: Ok(value.partners),
                    ratings: Ok(value.ratings),
                    states: Ok(value.states),
                    with_content: Ok(value.with_content),
                    without_content: Ok(value.without_content),
                }
            }
        }
        #[derive(Clone, Debug)]
        pub struct StateCounts {
            deleted: ::std::result::Result<i64, ::std::string::String>,
            not_treated: ::std::result::Result<i64, ::std::string::String>,
            treated: ::std::result::Result<i64, ::std::string::String>,
        }
        impl ::std::default::Default for StateCounts {
            fn default() -> Self {
                Self {
                    deleted: Err("no value supplied for deleted".to_string()),
                    not_treated: Err("no value supplied for not_treated".to_string()),
                    treated: Err("no value supplied for treated".to_string()),
                }
            }
        }
        impl StateCounts {
            pub fn deleted<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.deleted = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for deleted: {e}")
                    });
                self
            }
            pub fn not_treated<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.not_treated = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for not_treated: {e}")
                    });
                self
            }
            pub fn treated<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.treated = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for treated: {e}")
                    });
                self
            }
        }
        impl ::std::convert::TryFrom<StateCounts> for super::StateCounts {
            type Error = super::error::ConversionError;
            fn try_from(
                value: StateCounts,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    deleted: value.deleted?,
                    not_treated: value.not_treated?,
                    treated: value.treated?,
                })
            }
        }
        impl ::std::convert::From<super::StateCounts> for StateCounts {
            fn from(value: super::StateCounts) -> Self {
                Self {
                    deleted: Ok(value.deleted),
                    not_treated: Ok(value.not_treated),
                    treated: Ok(value.treated),
                }
            }
        }
        #[derive(Clone, Debug)]
        pub struct Success {
            id: ::std::result::Result<
                ::std::option::Option<::std::string::String>,
                ::std::string::String,
            >,
            status: ::std::result::Result<super::SuccessStatus, ::std::string::String>,
        }
        impl ::std::default::Default for Success {
            fn default() -> Self {
                Self {
                    id: Ok(Default::default()),
                    status: Err("no value supplied for status".to_string()),
                }
            }
        }
        impl Success {
            pub fn id<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.id = value
                    .try_into()
                    .map_err(|e| format!("error converting supplied value for id: {e}"));
                self
            }
            pub fn status<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<super::SuccessStatus>,
                T::Error: ::std::fmt::Display,
            {
                self.status = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for status: {e}")
                    });
                self
            }
        }
        impl ::std::convert::TryFrom<Success> for super::Success {
            type Error = super::error::ConversionError;
            fn try_from(
                value: Success,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    id: value.id?,
                    status: value.status?,
                })
            }
        }
        impl ::std::convert::From<super::Success> for Success {
            fn from(value: super::Success) -> Self {
                Self {
                    id: Ok(value.id),
                    status: Ok(value.status),
                }
            }
        }
        #[derive(Clone, Debug)]
        pub struct User {
            business_ids: ::std::result::Result<
                ::std::vec::Vec<::std::string::String>,
                ::std::string::String,
            >,
            email: ::std::result::Result<::std::string::String, ::std::string::String>,
            first_name: ::std::result::Result<
                ::std::string::String,
                ::std::string::String,
            >,
            id: ::std::result::Result<::std::string::String, ::std::string::String>,
            last_name: ::std::result::Result<
                ::std::string::String,
                ::std::string::String,
            >,
            org_id: ::std::result::Result<
                ::std::option::Option<i64>,
                ::std::string::String,
            >,
            phone: ::std::result::Result<
                ::std::option::Option<::std::string::String>,
                ::std::string::String,
            >,
            role: ::std::result::Result<super::UserRole, ::std::string::String>,
            status: ::std::result::Result<super::UserStatus, ::std::string::String>,
        }
        impl ::std::default::Default for User {
            fn default() -> Self {
                Self {
                    business_ids: Ok(Default::default()),
                    email: Err("no value supplied for email".to_string()),
                    first_name: Err("no value supplied for first_name".to_string()),
                    id: Err("no value supplied for id".to_string()),
                    last_name: Err("no value supplied for last_name".to_string()),
                    org_id: Err("no value supplied for org_id".to_string()),
                    phone: Err("no value supplied for phone".to_string()),
                    role: Err("no value supplied for role".to_string()),
                    status: Err("no value supplied for status".to_string()),
                }
            }
        }
        impl User {
            pub fn business_ids<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::vec::Vec<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.business_ids = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for business_ids: {e}")
                    });
                self
            }
            pub fn email<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.email = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for email: {e}")
                    });
                self
            }
            pub fn first_name<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.first_name = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for first_name: {e}")
                    });
                self
            }
            pub fn id<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.id = value
                    .try_into()
                    .map_err(|e| format!("error converting supplied value for id: {e}"));
                self
            }
            pub fn last_name<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.last_name = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for last_name: {e}")
                    });
                self
            }
            pub fn org_id<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<i64>>,
                T::Error: ::std::fmt::Display,
            {
                self.org_id = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for org_id: {e}")
                    });
                self
            }
            pub fn phone<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.phone = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for phone: {e}")
                    });
                self
            }
            pub fn role<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<super::UserRole>,
                T::Error: ::std::fmt::Display,
            {
                self.role = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for role: {e}")
                    });
                self
            }
            pub fn status<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<super::UserStatus>,
                T::Error: ::std::fmt::Display,
            {
                self.status = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for status: {e}")
                    });
                self
            }
        }
        impl ::std::convert::TryFrom<User> for super::User {
            type Error = super::error::ConversionError;
            fn try_from(
                value: User,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    business_ids: value.business_ids?,
                    email: value.email?,
                    first_name: value.first_name?,
                    id: value.id?,
                    last_name: value.last_name?,
                    org_id: value.org_id?,
                    phone: value.phone?,
                    role: value.role?,
                    status: value.status?,
                })
            }
        }
        impl ::std::convert::From<super::User> for User {
            fn from(value: super::User) -> Self {
                Self {
                    business_ids: Ok(value.business_ids),
                    email: Ok(value.email),
                    first_name: Ok(value.first_name),
                    id: Ok(value.id),
                    last_name: Ok(value.last_name),
                    org_id: Ok(value.org_id),
                    phone: Ok(value.phone),
                    role: Ok(value.role),
                    status: Ok(value.status),
                }
            }
        }
        #[derive(Clone, Debug)]
        pub struct UserChange {
            business_ids: ::std::result::Result<
                ::std::option::Option<::std::vec::Vec<::std::string::String>>,
                ::std::string::String,
            >,
            email: ::std::result::Result<
                ::std::option::Option<::std::string::String>,
                ::std::string::String,
            >,
            first_name: ::std::result::Result<
                ::std::option::Option<::std::string::String>,
                ::std::string::String,
            >,
            lang: ::std::result::Result<
                ::std::option::Option<::std::string::String>,
                ::std::string::String,
            >,
            last_name: ::std::result::Result<
                ::std::option::Option<::std::string::String>,
                ::std::string::String,
            >,
            org_id: ::std::result::Result<
                ::std::option::Option<i64>,
                ::std::string::String,
            >,
            password: ::std::result::Result<
                ::std::option::Option<::std::string::String>,
                ::std::string::String,
            >,
            phone: ::std::result::Result<
                ::std::option::Option<::std::string::String>,
                ::std::string::String,
            >,
            role: ::std::result::Result<
                ::std::option::Option<super::UserChangeRole>,
                ::std::string::String,
            >,
            status: ::std::result::Result<
                ::std::option::Option<super::UserChangeStatus>,
                ::std::string::String,
            >,
        }
        impl ::std::default::Default for UserChange {
            fn default() -> Self {
                Self {
                    business_ids: Ok(Default::default()),
                    email: Ok(Default::default()),
                    first_name: Ok(Default::default()),
                    lang: Ok(Default::default()),
                    last_name: Ok(Default::default()),
                    org_id: Ok(Default::default()),
                    password: Ok(Default::default()),
                    phone: Ok(Default::default()),
                    role: Ok(Default::default()),
                    status: Ok(Default::default()),
                }
            }
        }
        impl UserChange {
            pub fn business_ids<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<
                    ::std::option::Option<::std::vec::Vec<::std::string::String>>,
                >,
                T::Error: ::std::fmt::Display,
            {
                self.business_ids = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for business_ids: {e}")
                    });
                self
            }
            pub fn email<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.email = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for email: {e}")
                    });
                self
            }
            pub fn first_name<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.first_name = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for first_name: {e}")
                    });
                self
            }
            pub fn lang<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.lang = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for lang: {e}")
                    });
                self
            }
            pub fn last_name<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.last_name = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for last_name: {e}")
                    });
                self
            }
            pub fn org_id<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<i64>>,
                T::Error: ::std::fmt::Display,
            {
                self.org_id = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for org_id: {e}")
                    });
                self
            }
            pub fn password<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.password = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for password: {e}")
                    });
                self
            }
            pub fn phone<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.phone = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for phone: {e}")
                    });
                self
            }
            pub fn role<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<super::UserChangeRole>>,
                T::Error: ::std::fmt::Display,
            {
                self.role = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for role: {e}")
                    });
                self
            }
            pub fn status<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<
                    ::std::option::Option<super::UserChangeStatus>,
                >,
                T::Error: ::std::fmt::Display,
            {
                self.status = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for status: {e}")
                    });
                self
            }
        }
        impl ::std::convert::TryFrom<UserChange> for super::UserChange {
            type Error = super::error::ConversionError;
            fn try_from(
                value: UserChange,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    business_ids: value.business_ids?,
                    email: value.email?,
                    first_name: value.first_name?,
                    lang: value.lang?,
                    last_name: value.last_name?,
                    org_id: value.org_id?,
                    password: value.password?,
                    phone: value.phone?,
                    role: value.role?,
                    status: value.status?,
                })
            }
        }
        impl ::std::convert::From<super::UserChange> for UserChange {
            fn from(value: super::UserChange) -> Self {
                Self {
                    business_ids: Ok(value.business_ids),
                    email: Ok(value.email),
                    first_name: Ok(value.first_name),
                    lang: Ok(value.lang),
                    last_name: Ok(value.last_name),
                    org_id: Ok(value.org_id),
                    password: Ok(value.password),
                    phone: Ok(value.phone),
                    role: Ok(value.role),
                    status: Ok(value.status),
                }
            }
        }
        #[derive(Clone, Debug)]
        pub struct UserCreation {
            business_ids: ::std::result::Result<
                ::std::option::Option<::std::vec::Vec<::std::string::String>>,
                ::std::string::String,
            >,
            email: ::std::result::Result<::std::string::String, ::std::string::String>,
            first_name: ::std::result::Result<
                ::std::string::String,
                ::std::string::String,
            >,
            lang: ::std::result::Result<
                ::std::option::Option<::std::string::String>,
                ::std::string::String,
            >,
            last_name: ::std::result::Result<
                ::std::string::String,
                ::std::string::String,
            >,
            org_id: ::std::result::Result<
                ::std::option::Option<i64>,
                ::std::string::String,
            >,
            password: ::std::result::Result<
                ::std::option::Option<::std::string::String>,
                ::std::string::String,
            >,
            phone: ::std::result::Result<
                ::std::option::Option<::std::string::String>,
                ::std::string::String,
            >,
            role: ::std::result::Result<
                ::std::option::Option<super::UserCreationRole>,
                ::std::string::String,
            >,
            send_invitation: ::std::result::Result<
                ::std::option::Option<bool>,
                ::std::string::String,
            >,
            status: ::std::result::Result<
                ::std::option::Option<super::UserCreationStatus>,
                ::std::string::String,
            >,
        }
        impl ::std::default::Default for UserCreation {
            fn default() -> Self {
                Self {
                    business_ids: Ok(Default::default()),
                    email: Err("no value supplied for email".to_string()),
                    first_name: Err("no value supplied for first_name".to_string()),
                    lang: Ok(Default::default()),
                    last_name: Err("no value supplied for last_name".to_string()),
                    org_id: Ok(Default::default()),
                    password: Ok(Default::default()),
                    phone: Ok(Default::default()),
                    role: Ok(Default::default()),
                    send_invitation: Ok(Default::default()),
                    status: Ok(Default::default()),
                }
            }
        }
        impl UserCreation {
            pub fn business_ids<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<
                    ::std::option::Option<::std::vec::Vec<::std::string::String>>,
                >,
                T::Error: ::std::fmt::Display,
            {
                self.business_ids = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for business_ids: {e}")
                    });
                self
            }
            pub fn email<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.email = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for email: {e}")
                    });
                self
            }
            pub fn first_name<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.first_name = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for first_name: {e}")
                    });
                self
            }
            pub fn lang<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.lang = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for lang: {e}")
                    });
                self
            }
            pub fn last_name<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::string::String>,
                T::Error: ::std::fmt::Display,
            {
                self.last_name = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for last_name: {e}")
                    });
                self
            }
            pub fn org_id<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<i64>>,
                T::Error: ::std::fmt::Display,
            {
                self.org_id = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for org_id: {e}")
                    });
                self
            }
            pub fn password<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.password = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for password: {e}")
                    });
                self
            }
            pub fn phone<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<::std::string::String>>,
                T::Error: ::std::fmt::Display,
            {
                self.phone = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for phone: {e}")
                    });
                self
            }
            pub fn role<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<
                    ::std::option::Option<super::UserCreationRole>,
                >,
                T::Error: ::std::fmt::Display,
            {
                self.role = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for role: {e}")
                    });
                self
            }
            pub fn send_invitation<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::option::Option<bool>>,
                T::Error: ::std::fmt::Display,
            {
                self.send_invitation = value
                    .try_into()
                    .map_err(|e| {
                        format!(
                            "error converting supplied value for send_invitation: {e}"
                        )
                    });
                self
            }
            pub fn status<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<
                    ::std::option::Option<super::UserCreationStatus>,
                >,
                T::Error: ::std::fmt::Display,
            {
                self.status = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for status: {e}")
                    });
                self
            }
        }
        impl ::std::convert::TryFrom<UserCreation> for super::UserCreation {
            type Error = super::error::ConversionError;
            fn try_from(
                value: UserCreation,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    business_ids: value.business_ids?,
                    email: value.email?,
                    first_name: value.first_name?,
                    lang: value.lang?,
                    last_name: value.last_name?,
                    org_id: value.org_id?,
                    password: value.password?,
                    phone: value.phone?,
                    role: value.role?,
                    send_invitation: value.send_invitation?,
                    status: value.status?,
                })
            }
        }
        impl ::std::convert::From<super::UserCreation> for UserCreation {
            fn from(value: super::UserCreation) -> Self {
                Self {
                    business_ids: Ok(value.business_ids),
                    email: Ok(value.email),
                    first_name: Ok(value.first_name),
                    lang: Ok(value.lang),
                    last_name: Ok(value.last_name),
                    org_id: Ok(value.org_id),
                    password: Ok(value.password),
                    phone: Ok(value.phone),
                    role: Ok(value.role),
                    send_invitation: Ok(value.send_invitation),
                    status: Ok(value.status),
                }
            }
        }
        #[derive(Clone, Debug)]
        pub struct UserPage {
            count: ::std::result::Result<i64, ::std::string::String>,
            max_page: ::std::result::Result<i64, ::std::string::String>,
            page: ::std::result::Result<i64, ::std::string::String>,
            users: ::std::result::Result<
                ::std::vec::Vec<super::FoundUser>,
                ::std::string::String,
            >,
        }
        impl ::std::default::Default for UserPage {
            fn default() -> Self {
                Self {
                    count: Err("no value supplied for count".to_string()),
                    max_page: Err("no value supplied for max_page".to_string()),
                    page: Err("no value supplied for page".to_string()),
                    users: Err("no value supplied for users".to_string()),
                }
            }
        }
        impl UserPage {
            pub fn count<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.count = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for count: {e}")
                    });
                self
            }
            pub fn max_page<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.max_page = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for max_page: {e}")
                    });
                self
            }
            pub fn page<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.page = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for page: {e}")
                    });
                self
            }
            pub fn users<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<::std::vec::Vec<super::FoundUser>>,
                T::Error: ::std::fmt::Display,
            {
                self.users = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for users: {e}")
                    });
                self
            }
        }
        impl ::std::convert::TryFrom<UserPage> for super::UserPage {
            type Error = super::error::ConversionError;
            fn try_from(
                value: UserPage,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    count: value.count?,
                    max_page: value.max_page?,
                    page: value.page?,
                    users: value.users?,
                })
            }
        }
        impl ::std::convert::From<super::UserPage> for UserPage {
            fn from(value: super::UserPage) -> Self {
                Self {
                    count: Ok(value.count),
                    max_page: Ok(value.max_page),
                    page: Ok(value.page),
                    users: Ok(value.users),
                }
            }
        }
        #[derive(Clone, Debug)]
        pub struct UserStats {
            activate_count: ::std::result::Result<i64, ::std::string::String>,
            count: ::std::result::Result<i64, ::std::string::String>,
            invited_count: ::std::result::Result<i64, ::std::string::String>,
        }
        impl ::std::default::Default for UserStats {
            fn default() -> Self {
                Self {
                    activate_count: Err(
                        "no value supplied for activate_count".to_string(),
                    ),
                    count: Err("no value supplied for count".to_string()),
                    invited_count: Err("no value supplied for invited_count".to_string()),
                }
            }
        }
        impl UserStats {
            pub fn activate_count<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.activate_count = value
                    .try_into()
                    .map_err(|e| {
                        format!(
                            "error converting supplied value for activate_count: {e}"
                        )
                    });
                self
            }
            pub fn count<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.count = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for count: {e}")
                    });
                self
            }
            pub fn invited_count<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<i64>,
                T::Error: ::std::fmt::Display,
            {
                self.invited_count = value
                    .try_into()
                    .map_err(|e| {
                        format!("error converting supplied value for invited_count: {e}")
                    });
                self
            }
        }
        impl ::std::convert::TryFrom<UserStats> for super::UserStats {
            type Error = super::error::ConversionError;
            fn try_from(
                value: UserStats,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    activate_count: value.activate_count?,
                    count: value.count?,
                    invited_count: value.invited_count?,
                })
            }
        }
        impl ::std::convert::From<super::UserStats> for UserStats {
            fn from(value: super::UserStats) -> Self {
                Self {
                    activate_count: Ok(value.activate_count),
                    count: Ok(value.count),
                    invited_count: Ok(value.invited_count),
                }
            }
        }
    }
    /// Error types.
    pub mod error {
        /// Error from a `TryFrom` or `FromStr` implementation.
        pub struct ConversionError(::std::borrow::Cow<'static, str>);
        impl ::std::error::Error for ConversionError {}
        impl ::std::fmt::Display for ConversionError {
            fn fmt(
                &self,
                f: &mut ::std::fmt::Formatter<'_>,
            ) -> Result<(), ::std::fmt::Error> {
                ::std::fmt::Display::fmt(&self.0, f)
            }
        }
        impl ::std::fmt::Debug for ConversionError {
            fn fmt(
                &self,
                f: &mut ::std::fmt::Formatter<'_>,
            ) -> Result<(), ::std::fmt::Error> {
                ::std::fmt::Debug::fmt(&self.0, f)
            }
        }
        impl From<&'static str> for ConversionError {
            fn from(value: &'static str) -> Self {
                Self(value.into())
            }
        }
        impl From<String> for ConversionError {
            fn from(value: String) -> Self {
                Self(value.into())
            }
        }
    }
}
#[derive(Clone, Debug)]
/// Client for presence
///
/// Companies with many shops use presence to manage three things: the people who run the shops, the directory of business categories, and the reviews that customers leave on listing partners.
///
/// ## Keys
///
/// Every operation requires an API key: `pk_` and 36 letters and digits. Send it in the header `x-api-key` (or `x-apikey`), in `Authorization: Bearer …`, in the query parameter `api_key`, or, on create and update, in the body field `api_key`. Two different keys in one request are 400, also when one header is sent twice. The same key in several places counts once. Revocation, expiry, demotion and deletion take effect on the very next request. Operators issue keys, and a key is shown once.
///
/// The caller is the user who owns the key. Its **role** decides what it may do: PROVIDER (every organisation), ORG_ADMIN (its organisation), BUSINESS_MANAGER (reads its organisation, changes itself). A resource outside the caller's reach is answered like one that does not exist: 404, never 403.
///
/// ## Requests
///
/// Bodies are JSON in UTF-8. Requests are parsed **strictly**: a field or parameter that is unknown, repeated or of the wrong type is refused with 400, and the response names all of them, with the name that was probably meant. So a misspelled filter never returns everything, and a misspelled field never succeeds. Control characters are refused in every text. A body is at most 128 KiB.
///
/// - **Booleans**: `true` or `false` in any case, `1` or `0`; in bodies, JSON booleans too.
/// - **Integers**: JSON integers, or decimal text. `org_id` is at least 1, and `org_id` and `page` are at most 9007199254740991 (2^53-1).
/// - **Lists** in the query string: separated by commas, or the parameter repeated. Items are trimmed, blank ones dropped, duplicates removed.
/// - **Text to search for** is at most 255 characters, and compared without case and accents. A text of which nothing is left to compare is refused: accents alone, and for cities and businesses also hyphens and apostrophes alone.
/// - **Blank** optional parameters count as not given. Booleans are the exception: they must have a value.
/// - **null** in a body clears `phone` and `lang`. It counts as not given for `password`, `org_id`, `status`, `role`, `business_ids` and `send_invitation`, and is refused for `email`, `first_name` and `last_name`.
///
/// ## Answers
///
/// Every response is JSON and carries `x-request-id`, which is also in the service's log. A request may carry an `x-client-request-id` of your own (1 to 128 letters, digits, `-`, `_`, `.`, `:`): the response repeats it, and the log has it. Anything else there is ignored. There are no CORS headers: keys belong on servers.
///
/// - **HEAD** works wherever GET does: the same status and headers, no body, the same limit.
/// - **Compression**: with `Accept-Encoding: gzip`, responses above 1 KiB are compressed. A page that is too large as it is may fit so.
/// - **Caching**: nothing may be kept (`cache-control: no-store`), with two exceptions. Categories may be kept by the client alone: send their `ETag` back in `If-None-Match`, and the response is 304 without a body while they are current. This description may be kept for five minutes by anyone.
/// - **Links**: each page of a search has `Link` with the addresses of the `first`, `prev`, `next` and `last` page (RFC 8288), with all parameters but the key. Send the key again with each.
///
/// Errors have one envelope, `{"errors": {…}}`, with exactly one of three members: `authentication` (401), `authorization` (403) or `json` (all others). Its value is a text, or for 400 the texts by the name of the field. An error about a value outside a fixed set lists the `choices`.
///
/// Checks run in this order: path and method (404, 405); a readable request (413, 415, 400 as a whole); the key (401); its limit (429); the resource (404); the permission (403); the fields (400); the state (400, 409, 429). Another method on a known path is 405 with `Allow`. In a deployment, the gateway in front of the API may answer by itself with `{"message": …}`: to more requests than it allows (429), or to a request line with headers over 10,240 bytes (431), which a long `business__in` can be: ask for a city, or in several requests.
///
/// A request that uses an operation or parameter that is to be removed gets `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) in its response, at least 12 months before.
///
/// ## Limits
///
/// A key may have a limit of requests a minute. It is a bucket: as many requests may come at once, and they refill evenly. While keys have limits, every response to a valid key has `RateLimit-Policy: "key";q=300;w=60` (300 requests in 60 seconds) and `RateLimit: "key";r=120;t=1` (120 are left, and there is another one in a second at most), as draft-ietf-httpapi-ratelimit-headers names them. A request beyond the limit is 429: wait for the seconds of `Retry-After`. Requests that are refused before their key is verified do not count: 404 for an unknown path, 405, 413, 415, and 400 as a whole.
///
/// ## Pages
///
/// Searches return 30 results a page, or `per_page` (1 to 100), with the exact `count`. A `page` below 1 counts as 1. Past the last page the list is empty. A page that would be larger than 6 MB is 400 on `per_page`: ask for fewer. Every order ends with the id, so all pages together contain each result exactly once.
///
///
/// Version: 2.0.0
pub struct Client {
    pub(crate) baseurl: String,
    pub(crate) client: reqwest::Client,
    pub(crate) inner: crate::layer::Layer,
}
impl Client {
    /// Create a new client.
    ///
    /// `baseurl` is the base URL provided to the internal
    /// `reqwest::Client`, and should include a scheme and hostname,
    /// as well as port and a path stem if applicable.
    pub fn new(baseurl: &str, inner: crate::layer::Layer) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        let client = {
            let dur = ::std::time::Duration::from_secs(15u64);
            reqwest::ClientBuilder::new().connect_timeout(dur).timeout(dur)
        };
        #[cfg(target_arch = "wasm32")]
        let client = reqwest::ClientBuilder::new();
        Self::new_with_client(baseurl, client.build().unwrap(), inner)
    }
    /// Construct a new client with an existing `reqwest::Client`,
    /// allowing more control over its configuration.
    ///
    /// `baseurl` is the base URL provided to the internal
    /// `reqwest::Client`, and should include a scheme and hostname,
    /// as well as port and a path stem if applicable.
    pub fn new_with_client(
        baseurl: &str,
        client: reqwest::Client,
        inner: crate::layer::Layer,
    ) -> Self {
        Self {
            baseurl: baseurl.to_string(),
            client,
            inner,
        }
    }
}
impl ClientInfo<crate::layer::Layer> for Client {
    fn api_version() -> &'static str {
        "2.0.0"
    }
    fn baseurl(&self) -> &str {
        self.baseurl.as_str()
    }
    fn client(&self) -> &reqwest::Client {
        &self.client
    }
    fn inner(&self) -> &crate::layer::Layer {
        &self.inner
    }
}
const _: () = {
    #[allow(dead_code)]
    fn assert_client_hooks()
    where
        Client: ClientHooks<crate::layer::Layer>,
    {}
};
impl Client {
/// Search businesses
///
/// Returns the businesses that match **all** filters, in pages; without a filter, all in the caller's reach. A search shows every import that ended before it.
///
/// **Order**: name, ignoring case and accents, then id; over all organisations.
///
/// **Roles**: PROVIDER finds the businesses of every organisation. ORG_ADMIN and BUSINESS_MANAGER find those of their own.
///
/// Sends a `GET` request to `/api/v2/business/search`
///
/// Arguments:
/// - `city`: Only businesses in this city. Its whole name is compared, ignoring case, accents, hyphens, apostrophes and repeated blanks.
/// - `org_id`: Only businesses of this organisation. A caller that is not a PROVIDER may only name its own: another one is 403.
/// - `page`: Number of the page. A number below 1 counts as 1. Past the last page the list is empty. At most 9007199254740991 (2^53-1).
/// - `per_page`: Number of results on a page. A page that would be larger than 6 MB, as the platform counts a response, is refused with 400 on `per_page`: ask for fewer.
/// - `query`: Only businesses with every one of these words in their name or city. A word may be a part of a longer one. Case, accents, hyphens and apostrophes are ignored.
/// ```ignore
/// let response = client.search_businesses()
///     .city(city)
///     .org_id(org_id)
///     .page(page)
///     .per_page(per_page)
///     .query(query)
///     .send()
///     .await;
/// ```
    pub fn search_businesses(&self) -> builder::SearchBusinesses<'_> {
        builder::SearchBusinesses::new(self)
    }
/// Search categories
///
/// The categories of the directory in one language, in pages; without `name`, all of them.
///
/// **Order**: name, then id.
///
/// **Roles**: all. The directory is the same for everyone.
///
/// Sends a `GET` request to `/api/v2/category/search`
///
/// Arguments:
/// - `lang`: Language of the names: an ISO 3166 alpha-2 country code of the directory, in any case. Other codes are mapped to one of these (`EN` and `US` to `GB`, `PT-BR` to `BR` or else to `PT`).
/// - `name`: Only categories with this text in their name, ignoring case, accents and width, or with exactly this id or code.
/// - `page`: Number of the page. A number below 1 counts as 1. Past the last page the list is empty. At most 9007199254740991 (2^53-1).
/// - `per_page`: Number of results on a page. A page that would be larger than 6 MB, as the platform counts a response, is refused with 400 on `per_page`: ask for fewer.
/// - `if_none_match`: Tags of the answers that the client has, as an earlier `ETag` gave them. If one of them is current, the response is 304 without a body.
/// ```ignore
/// let response = client.search_categories()
///     .lang(lang)
///     .name(name)
///     .page(page)
///     .per_page(per_page)
///     .if_none_match(if_none_match)
///     .send()
///     .await;
/// ```
    pub fn search_categories(&self) -> builder::SearchCategories<'_> {
        builder::SearchCategories::new(self)
    }
/// Get one category
///
/// One category, by id, in one language.
///
/// **Roles**: all.
///
/// Sends a `GET` request to `/api/v2/category/{categoryId}`
///
/// Arguments:
/// - `category_id`: Id of the category. A malformed id is answered like an unknown one: 404.
/// - `lang`: Language of the names: an ISO 3166 alpha-2 country code of the directory, in any case. Other codes are mapped to one of these (`EN` and `US` to `GB`, `PT-BR` to `BR` or else to `PT`).
/// - `if_none_match`: Tags of the answers that the client has, as an earlier `ETag` gave them. If one of them is current, the response is 304 without a body.
/// ```ignore
/// let response = client.get_category()
///     .category_id(category_id)
///     .lang(lang)
///     .if_none_match(if_none_match)
///     .send()
///     .await;
/// ```
    pub fn get_category(&self) -> builder::GetCategory<'_> {
        builder::GetCategory::new(self)
    }
/// Search reviews
///
/// Returns the reviews that match **all** filters, in pages. Without a filter, these are all reviews in the caller's reach, in every state. Two filters on one property (`rating` and `rating__in`, `business__in` and `business_city`) must both match.
///
/// **Dates**: the filters compare the update date, or the creation date of a review that was never updated. Both bounds are inclusive. Formats: `YYYY-MM-DD` and `YYYY-MM-DDTHH:MM[:SS[.fraction]]`, followed by nothing (UTC), `Z`, or an offset `±hh:mm` or `±hhmm`. A blank in the place of the `+` is accepted. A day without time means its first second in `update_date__gte` and its last second in `update_date__lte`. If the lower bound is after the upper one, the result is empty.
///
/// **Order**: newest first, then by id descending; `order_by=update_date` is exactly the reverse.
///
/// **Roles**: PROVIDER finds the reviews of every organisation. ORG_ADMIN and BUSINESS_MANAGER find those of all businesses of their own organisation.
///
/// Sends a `GET` request to `/api/v2/reviews`
///
/// Arguments:
/// - `business_in`: Only reviews of these businesses, at most 500 different ones. A business that is unknown or outside the caller's reach has no reviews. Separated by commas, or the parameter repeated.
/// - `business_city`: Only reviews of the businesses in this city. Its whole name is compared, ignoring case, accents, hyphens, apostrophes and repeated blanks.
/// - `content_isnull`: True: only reviews without text or with a blank text. False: only reviews with text. `true` or `false` in any case, `1` or `0`.
/// - `order_by`: Order: newest first, or oldest first.
/// - `page`: Number of the page. A number below 1 counts as 1. Past the last page the list is empty. At most 9007199254740991 (2^53-1).
/// - `partner_in`: Only reviews on one of these partners. Separated by commas, or the parameter repeated.
/// - `per_page`: Number of results on a page. A page that would be larger than 6 MB, as the platform counts a response, is refused with 400 on `per_page`: ask for fewer.
/// - `rating`: Only reviews with this rating.
/// - `rating_in`: Only reviews with one of these ratings. Separated by commas, or the parameter repeated.
/// - `state`: Only reviews in one of these states. Separated by commas, or the parameter repeated.
/// - `update_date_gte`: Only reviews at or after this date.
/// - `update_date_lte`: Only reviews at or before this date.
/// ```ignore
/// let response = client.search_reviews()
///     .business_in(business_in)
///     .business_city(business_city)
///     .content_isnull(content_isnull)
///     .order_by(order_by)
///     .page(page)
///     .partner_in(partner_in)
///     .per_page(per_page)
///     .rating(rating)
///     .rating_in(rating_in)
///     .state(state)
///     .update_date_gte(update_date_gte)
///     .update_date_lte(update_date_lte)
///     .send()
///     .await;
/// ```
    pub fn search_reviews(&self) -> builder::SearchReviews<'_> {
        builder::SearchReviews::new(self)
    }
/// Count reviews
///
/// Returns exact numbers of the reviews that match **all** filters: of each rating, state and partner, with and without text, and the average rating. The filters are those of *Search reviews*, and `count` is the same as there.
///
/// **Groups**: with `group_by`, the answer has the reviews of each group too. Groups without a review are left out. Days, months and years are those of the update date in UTC, or of the creation date of a review that was never updated. Cities are compared as in `business_city`. Partners, states and ratings have a fixed order; other groups are in ascending order of their keys. More than 1000 groups are refused with 400 on `group_by`.
///
/// **Roles**: PROVIDER counts the reviews of every organisation. ORG_ADMIN and BUSINESS_MANAGER count those of all businesses of their own organisation.
///
/// Sends a `GET` request to `/api/v2/reviews/stats`
///
/// Arguments:
/// - `business_in`: Only reviews of these businesses, at most 500 different ones. A business that is unknown or outside the caller's reach has no reviews. Separated by commas, or the parameter repeated.
/// - `business_city`: Only reviews of the businesses in this city. Its whole name is compared, ignoring case, accents, hyphens, apostrophes and repeated blanks.
/// - `content_isnull`: True: only reviews without text or with a blank text. False: only reviews with text. `true` or `false` in any case, `1` or `0`.
/// - `group_by`: Property by which the reviews are grouped.
/// - `partner_in`: Only reviews on one of these partners. Separated by commas, or the parameter repeated.
/// - `rating`: Only reviews with this rating.
/// - `rating_in`: Only reviews with one of these ratings. Separated by commas, or the parameter repeated.
/// - `state`: Only reviews in one of these states. Separated by commas, or the parameter repeated.
/// - `update_date_gte`: Only reviews at or after this date.
/// - `update_date_lte`: Only reviews at or before this date.
/// ```ignore
/// let response = client.get_review_stats()
///     .business_in(business_in)
///     .business_city(business_city)
///     .content_isnull(content_isnull)
///     .group_by(group_by)
///     .partner_in(partner_in)
///     .rating(rating)
///     .rating_in(rating_in)
///     .state(state)
///     .update_date_gte(update_date_gte)
///     .update_date_lte(update_date_lte)
///     .send()
///     .await;
/// ```
    pub fn get_review_stats(&self) -> builder::GetReviewStats<'_> {
        builder::GetReviewStats::new(self)
    }
/// Get one review
///
/// Returns one review, by id, as the search shows it.
///
/// **Roles**: PROVIDER reads the reviews of every organisation. ORG_ADMIN and BUSINESS_MANAGER read those of all businesses of their own organisation. A review of another organisation is answered like an unknown one.
///
/// Sends a `GET` request to `/api/v2/reviews/{review_id}`
///
/// Arguments:
/// - `review_id`: Id of the review. A malformed id is answered like an unknown one: 404.
/// ```ignore
/// let response = client.get_review()
///     .review_id(review_id)
///     .send()
///     .await;
/// ```
    pub fn get_review(&self) -> builder::GetReview<'_> {
        builder::GetReview::new(self)
    }
/// Create a user
///
/// Creates an `active` or an `invited` user. An invited user gets a mail with a link to a page where they choose a password, which makes them active. The link is valid for 72 hours and works once.
///
/// | `status` | `send_invitation` | the user is | mail |
/// |---|---|---|---|
/// | left out | left out or false | active | no |
/// | left out | true | invited | yes |
/// | `invited` | left out or true | invited | yes |
/// | `invited` | false | invited, until a later invite | no |
/// | `active` | left out or false | active | no |
/// | `active` | true | active | yes: the link lets the person choose a password |
///
/// The mail is sent soon after the response, and is never lost. A user is sent at most one mail in 5 minutes.
///
/// **Roles**: PROVIDER creates users of any organisation and any role; ORG_ADMIN of its own organisation, with the roles ORG_ADMIN and BUSINESS_MANAGER; BUSINESS_MANAGER none.
///
/// Sends a `POST` request to `/api/v2/user`
///
/// Arguments:
/// - `idempotency_key`: Name of the request, chosen by the client, such as a random UUID. For 24 hours the same request with the same key gets the first response again, and changes nothing: so it is safe to repeat a request whose response was lost. The key counts for the caller, the method and the path. Responses 4xx and 5xx are not kept.
/// - `body`: The user to create.
/// ```ignore
/// let response = client.create_user()
///     .idempotency_key(idempotency_key)
///     .body(body)
///     .send()
///     .await;
/// ```
    pub fn create_user(&self) -> builder::CreateUser<'_> {
        builder::CreateUser::new(self)
    }
/// Get the calling user
///
/// Returns the user who owns the key, with the same fields as any other user.
///
/// **Roles**: all.
///
/// Sends a `GET` request to `/api/v2/user/me`
///
/// Arguments:
/// - `display_business_ids`: False leaves `business_ids` out of the response. `true` or `false` in any case, `1` or `0`.
/// ```ignore
/// let response = client.get_me()
///     .display_business_ids(display_business_ids)
///     .send()
///     .await;
/// ```
    pub fn get_me(&self) -> builder::GetMe<'_> {
        builder::GetMe::new(self)
    }
/// Search users
///
/// Returns the users who match **all** filters, in pages. Without a filter, these are all users in the caller's reach.
///
/// **Order**: with `query` the best match first; then last name, first name, id. For a PROVIDER without `org_id`, the organisation comes before all of these, and users without one come first.
///
/// The results do not have `role`, `org_id` and `lang`: get one user to read them.
///
/// **Roles**: PROVIDER finds the users of every organisation. ORG_ADMIN and BUSINESS_MANAGER find those of their own.
///
/// Sends a `GET` request to `/api/v2/user/search`
///
/// Arguments:
/// - `display_business_ids`: False leaves `business_ids` out of the response. `true` or `false` in any case, `1` or `0`.
/// - `email`: Only the user with this address, ignoring case.
/// - `last_name`: Only users whose last name contains this text, ignoring case, accents and width.
/// - `org_id`: Only users of this organisation. A caller that is not a PROVIDER may only name its own: another one is 403.
/// - `page`: Number of the page. A number below 1 counts as 1. Past the last page the list is empty. At most 9007199254740991 (2^53-1).
/// - `per_page`: Number of results on a page. A page that would be larger than 6 MB, as the platform counts a response, is refused with 400 on `per_page`: ask for fewer.
/// - `query`: Only users who match every word of this text. A word matches if a word of the first name, the last name or the e-mail address contains it. A word of 5 letters or more may have one wrong letter, one of 9 or more two. Case, accents and width are ignored.
/// - `status`: Only users with this status.
/// ```ignore
/// let response = client.search_users()
///     .display_business_ids(display_business_ids)
///     .email(email)
///     .last_name(last_name)
///     .org_id(org_id)
///     .page(page)
///     .per_page(per_page)
///     .query(query)
///     .status(status)
///     .send()
///     .await;
/// ```
    pub fn search_users(&self) -> builder::SearchUsers<'_> {
        builder::SearchUsers::new(self)
    }
/// Count users by status
///
/// Returns the number of users that a search without filters finds for the same key: in total, invited and active.
///
/// **Roles**: all; a PROVIDER counts the users of every organisation.
///
/// Sends a `GET` request to `/api/v2/user/stats`
///
/// ```ignore
/// let response = client.get_user_stats()
///     .send()
///     .await;
/// ```
    pub fn get_user_stats(&self) -> builder::GetUserStats<'_> {
        builder::GetUserStats::new(self)
    }
/// Get one user
///
/// Returns one user by id.
///
/// **Roles**: PROVIDER for users of every organisation; ORG_ADMIN and BUSINESS_MANAGER for those of their own. A user that the caller may not see is answered like an unknown one: 404, never 403.
///
/// Sends a `GET` request to `/api/v2/user/{user_id}`
///
/// Arguments:
/// - `user_id`: Id of the user. A malformed id is answered like an unknown one: 404.
/// - `display_business_ids`: False leaves `business_ids` out of the response. `true` or `false` in any case, `1` or `0`.
/// ```ignore
/// let response = client.get_user()
///     .user_id(user_id)
///     .display_business_ids(display_business_ids)
///     .send()
///     .await;
/// ```
    pub fn get_user(&self) -> builder::GetUser<'_> {
        builder::GetUser::new(self)
    }
/// Update a user
///
/// Changes the given fields only. A body that changes nothing succeeds. All changes take effect together, or none does.
///
/// **Status**: a change from `active` to `invited` deletes the password, revokes the keys for good and sends an invitation, at the earliest 5 minutes after the last one. A change from `invited` to `active` needs a `password` unless the user has one, and invalidates the pending link. The present status again has no effect.
///
/// **Roles**: PROVIDER updates everyone; ORG_ADMIN the users of its organisation except a PROVIDER; BUSINESS_MANAGER only itself, and only the fields `first_name`, `last_name`, `phone`, `lang`, `email` and `password`. Nobody changes their own `role`, `status`, `org_id` or `business_ids`, and nobody grants a role above their own. Only a PROVIDER moves users to another organisation. A field with its present value is not a change, so it is never 403. Only a PROVIDER can demote or disable the last active ORG_ADMIN of an organisation.
///
/// Sends a `POST` request to `/api/v2/user/{user_id}`
///
/// Arguments:
/// - `user_id`: Id of the user to change. A malformed id is answered like an unknown one: 404.
/// - `idempotency_key`: Name of the request, chosen by the client, such as a random UUID. For 24 hours the same request with the same key gets the first response again, and changes nothing: so it is safe to repeat a request whose response was lost. The key counts for the caller, the method and the path. Responses 4xx and 5xx are not kept.
/// - `body`: The changes.
/// ```ignore
/// let response = client.update_user()
///     .user_id(user_id)
///     .idempotency_key(idempotency_key)
///     .body(body)
///     .send()
///     .await;
/// ```
    pub fn update_user(&self) -> builder::UpdateUser<'_> {
        builder::UpdateUser::new(self)
    }
/// Delete a user
///
/// Deletes a user for good, with its keys, its links and its mails that are not sent yet. Its address can be used again. Every later operation on its id is 404.
///
/// **Roles**: PROVIDER deletes anyone except itself; ORG_ADMIN users of its organisation, except itself, a PROVIDER and the last active ORG_ADMIN; BUSINESS_MANAGER nobody.
///
/// Sends a `DELETE` request to `/api/v2/user/{user_id}`
///
/// Arguments:
/// - `user_id`: Id of the user to delete. A malformed id is answered like an unknown one: 404.
/// - `idempotency_key`: Name of the request, chosen by the client, such as a random UUID. For 24 hours the same request with the same key gets the first response again, and changes nothing: so it is safe to repeat a request whose response was lost. The key counts for the caller, the method and the path. Responses 4xx and 5xx are not kept.
/// ```ignore
/// let response = client.delete_user()
///     .user_id(user_id)
///     .idempotency_key(idempotency_key)
///     .send()
///     .await;
/// ```
    pub fn delete_user(&self) -> builder::DeleteUser<'_> {
        builder::DeleteUser::new(self)
    }
/// Invite a user again
///
/// Sends a new invitation to an `invited` user, at most once in 5 minutes. Invitations of other operations count, too. Of several concurrent requests, exactly one succeeds. The new link replaces the old one once it is sent. The operation needs no body.
///
/// **Roles**: PROVIDER invites anyone; ORG_ADMIN the users of its organisation except a PROVIDER; BUSINESS_MANAGER nobody.
///
/// Sends a `POST` request to `/api/v2/user/{user_id}/invite`
///
/// Arguments:
/// - `user_id`: Id of the user to invite again. A malformed id is answered like an unknown one: 404.
/// - `idempotency_key`: Name of the request, chosen by the client, such as a random UUID. For 24 hours the same request with the same key gets the first response again, and changes nothing: so it is safe to repeat a request whose response was lost. The key counts for the caller, the method and the path. Responses 4xx and 5xx are not kept.
/// ```ignore
/// let response = client.invite_user()
///     .user_id(user_id)
///     .idempotency_key(idempotency_key)
///     .send()
///     .await;
/// ```
    pub fn invite_user(&self) -> builder::InviteUser<'_> {
        builder::InviteUser::new(self)
    }
}
/// Types for composing operation parameters.
#[allow(clippy::all)]
pub mod builder {
    use super::types;
    #[allow(unused_imports)]
    use super::{
        encode_path, ByteStream, ClientInfo, ClientHooks, Error, OperationInfo,
        RequestBuilderExt, ResponseValue,
    };
/// Builder for [`Client::search_businesses`]
///
/// [`Client::search_businesses`]: super::Client::search_businesses
    #[derive(Debug, Clone)]
    pub struct SearchBusinesses<'a> {
        client: &'a super::Client,
        city: Result<Option<::std::string::String>, String>,
        org_id: Result<Option<i64>, String>,
        page: Result<Option<i64>, String>,
        per_page: Result<Option<i64>, String>,
        query: Result<Option<::std::string::String>, String>,
    }
    impl<'a> SearchBusinesses<'a> {
        pub fn new(client: &'a super::Client) -> Self {
            Self {
                client: client,
                city: Ok(None),
                org_id: Ok(None),
                page: Ok(None),
                per_page: Ok(None),
                query: Ok(None),
            }
        }
        pub fn city<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.city = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for city failed"
                        .to_string()
                });
            self
        }
        pub fn org_id<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i64>,
        {
            self.org_id = value
                .try_into()
                .map(Some)
                .map_err(|_| "conversion to `i64` for org_id failed".to_string());
            self
        }
        pub fn page<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i64>,
        {
            self.page = value
                .try_into()
                .map(Some)
                .map_err(|_| "conversion to `i64` for page failed".to_string());
            self
        }
        pub fn per_page<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i64>,
        {
            self.per_page = value
                .try_into()
                .map(Some)
                .map_err(|_| "conversion to `i64` for per_page failed".to_string());
            self
        }
        pub fn query<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.query = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for query failed"
                        .to_string()
                });
            self
        }
        ///Sends a `GET` request to `/api/v2/business/search`
        pub async fn send(
            self,
        ) -> Result<ResponseValue<types::BusinessPage>, Error<()>> {
            let Self { client, city, org_id, page, per_page, query } = self;
            let city = city.map_err(Error::InvalidRequest)?;
            let org_id = org_id.map_err(Error::InvalidRequest)?;
            let page = page.map_err(Error::InvalidRequest)?;
            let per_page = per_page.map_err(Error::InvalidRequest)?;
            let query = query.map_err(Error::InvalidRequest)?;
            let url = format!("{}/api/v2/business/search", client.baseurl,);
            let mut header_map = ::reqwest::header::HeaderMap::with_capacity(1usize);
            header_map
                .append(
                    ::reqwest::header::HeaderName::from_static("api-version"),
                    ::reqwest::header::HeaderValue::from_static(
                        super::Client::api_version(),
                    ),
                );
            #[allow(unused_mut)]
            let mut request = client
                .client
                .get(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .query(&progenitor_client::QueryParam::new("city", &city))
                .query(&progenitor_client::QueryParam::new("org_id", &org_id))
                .query(&progenitor_client::QueryParam::new("page", &page))
                .query(&progenitor_client::QueryParam::new("per_page", &per_page))
                .query(&progenitor_client::QueryParam::new("query", &query))
                .headers(header_map)
                .build()?;
            let info = OperationInfo {
                operation_id: "search_businesses",
            };
            client.pre(&mut request, &info).await?;
            let result = client.exec(request, &info).await;
            client.post(&result, &info).await?;
            let response = result?;
            match response.status().as_u16() {
                200u16 => ResponseValue::from_response(response).await,
                _ => Err(Error::UnexpectedResponse(response)),
            }
        }
    }
/// Builder for [`Client::search_categories`]
///
/// [`Client::search_categories`]: super::Client::search_categories
    #[derive(Debug, Clone)]
    pub struct SearchCategories<'a> {
        client: &'a super::Client,
        lang: Result<::std::string::String, String>,
        name: Result<Option<::std::string::String>, String>,
        page: Result<Option<i64>, String>,
        per_page: Result<Option<i64>, String>,
        if_none_match: Result<Option<::std::string::String>, String>,
    }
    impl<'a> SearchCategories<'a> {
        pub fn new(client: &'a super::Client) -> Self {
            Self {
                client: client,
                lang: Err("lang was not initialized".to_string()),
                name: Ok(None),
                page: Ok(None),
                per_page: Ok(None),
                if_none_match: Ok(None),
            }
        }
        pub fn lang<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.lang = value
                .try_into()
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for lang failed"
                        .to_string()
                });
            self
        }
        pub fn name<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.name = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for name failed"
                        .to_string()
                });
            self
        }
        pub fn page<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i64>,
        {
            self.page = value
                .try_into()
                .map(Some)
                .map_err(|_| "conversion to `i64` for page failed".to_string());
            self
        }
        pub fn per_page<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i64>,
        {
            self.per_page = value
                .try_into()
                .map(Some)
                .map_err(|_| "conversion to `i64` for per_page failed".to_string());
            self
        }
        pub fn if_none_match<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.if_none_match = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for if_none_match failed"
                        .to_string()
                });
            self
        }
        ///Sends a `GET` request to `/api/v2/category/search`
        pub async fn send(
            self,
        ) -> Result<ResponseValue<types::CategoryPage>, Error<()>> {
            let Self { client, lang, name, page, per_page, if_none_match } = self;
            let lang = lang.map_err(Error::InvalidRequest)?;
            let name = name.map_err(Error::InvalidRequest)?;
            let page = page.map_err(Error::InvalidRequest)?;
            let per_page = per_page.map_err(Error::InvalidRequest)?;
            let if_none_match = if_none_match.map_err(Error::InvalidRequest)?;
            let url = format!("{}/api/v2/category/search", client.baseurl,);
            let mut header_map = ::reqwest::header::HeaderMap::with_capacity(2usize);
            header_map
                .append(
                    ::reqwest::header::HeaderName::from_static("api-version"),
                    ::reqwest::header::HeaderValue::from_static(
                        super::Client::api_version(),
                    ),
                );
            if let Some(value) = if_none_match {
                header_map.append("If-None-Match", value.to_string().try_into()?);
            }
            #[allow(unused_mut)]
            let mut request = client
                .client
                .get(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .query(&progenitor_client::QueryParam::new("lang", &lang))
                .query(&progenitor_client::QueryParam::new("name", &name))
                .query(&progenitor_client::QueryParam::new("page", &page))
                .query(&progenitor_client::QueryParam::new("per_page", &per_page))
                .headers(header_map)
                .build()?;
            let info = OperationInfo {
                operation_id: "search_categories",
            };
            client.pre(&mut request, &info).await?;
            let result = client.exec(request, &info).await;
            client.post(&result, &info).await?;
            let response = result?;
            match response.status().as_u16() {
                200u16 => ResponseValue::from_response(response).await,
                _ => Err(Error::UnexpectedResponse(response)),
            }
        }
    }
/// Builder for [`Client::get_category`]
///
/// [`Client::get_category`]: super::Client::get_category
    #[derive(Debug, Clone)]
    pub struct GetCategory<'a> {
        client: &'a super::Client,
        category_id: Result<::std::string::String, String>,
        lang: Result<::std::string::String, String>,
        if_none_match: Result<Option<::std::string::String>, String>,
    }
    impl<'a> GetCategory<'a> {
        pub fn new(client: &'a super::Client) -> Self {
            Self {
                client: client,
                category_id: Err("category_id was not initialized".to_string()),
                lang: Err("lang was not initialized".to_string()),
                if_none_match: Ok(None),
            }
        }
        pub fn category_id<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.category_id = value
                .try_into()
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for category_id failed"
                        .to_string()
                });
            self
        }
        pub fn lang<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.lang = value
                .try_into()
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for lang failed"
                        .to_string()
                });
            self
        }
        pub fn if_none_match<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.if_none_match = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for if_none_match failed"
                        .to_string()
                });
            self
        }
        ///Sends a `GET` request to `/api/v2/category/{categoryId}`
        pub async fn send(self) -> Result<ResponseValue<types::Category>, Error<()>> {
            let Self { client, category_id, lang, if_none_match } = self;
            let category_id = category_id.map_err(Error::InvalidRequest)?;
            let lang = lang.map_err(Error::InvalidRequest)?;
            let if_none_match = if_none_match.map_err(Error::InvalidRequest)?;
            let url = format!(
                "{}/api/v2/category/{}", client.baseurl, encode_path(& category_id
                .to_string()),
            );
            let mut header_map = ::reqwest::header::HeaderMap::with_capacity(2usize);
            header_map
                .append(
                    ::reqwest::header::HeaderName::from_static("api-version"),
                    ::reqwest::header::HeaderValue::from_static(
                        super::Client::api_version(),
                    ),
                );
            if let Some(value) = if_none_match {
                header_map.append("If-None-Match", value.to_string().try_into()?);
            }
            #[allow(unused_mut)]
            let mut request = client
                .client
                .get(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .query(&progenitor_client::QueryParam::new("lang", &lang))
                .headers(header_map)
                .build()?;
            let info = OperationInfo {
                operation_id: "get_category",
            };
            client.pre(&mut request, &info).await?;
            let result = client.exec(request, &info).await;
            client.post(&result, &info).await?;
            let response = result?;
            match response.status().as_u16() {
                200u16 => ResponseValue::from_response(response).await,
                _ => Err(Error::UnexpectedResponse(response)),
            }
        }
    }
/// Builder for [`Client::search_reviews`]
///
/// [`Client::search_reviews`]: super::Client::search_reviews
    #[derive(Debug, Clone)]
    pub struct SearchReviews<'a> {
        client: &'a super::Client,
        business_in: Result<Option<::std::vec::Vec<::std::string::String>>, String>,
        business_city: Result<Option<::std::string::String>, String>,
        content_isnull: Result<Option<bool>, String>,
        order_by: Result<Option<types::SearchReviewsOrderBy>, String>,
        page: Result<Option<i64>, String>,
        partner_in: Result<
            Option<::std::vec::Vec<types::SearchReviewsPartnerInItem>>,
            String,
        >,
        per_page: Result<Option<i64>, String>,
        rating: Result<Option<i32>, String>,
        rating_in: Result<Option<::std::vec::Vec<i32>>, String>,
        state: Result<Option<::std::vec::Vec<types::SearchReviewsStateItem>>, String>,
        update_date_gte: Result<Option<::std::string::String>, String>,
        update_date_lte: Result<Option<::std::string::String>, String>,
    }
    impl<'a> SearchReviews<'a> {
        pub fn new(client: &'a super::Client) -> Self {
            Self {
                client: client,
                business_in: Ok(None),
                business_city: Ok(None),
                content_isnull: Ok(None),
                order_by: Ok(None),
                page: Ok(None),
                partner_in: Ok(None),
                per_page: Ok(None),
                rating: Ok(None),
                rating_in: Ok(None),
                state: Ok(None),
                update_date_gte: Ok(None),
                update_date_lte: Ok(None),
            }
        }
        pub fn business_in<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::vec::Vec<::std::string::String>>,
        {
            self.business_in = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: vec :: Vec < :: std :: string :: String >` for business_in failed"
                        .to_string()
                });
            self
        }
        pub fn business_city<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.business_city = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for business_city failed"
                        .to_string()
                });
            self
        }
        pub fn content_isnull<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<bool>,
        {
            self.content_isnull = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `bool` for content_isnull failed".to_string()
                });
            self
        }
        pub fn order_by<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<types::SearchReviewsOrderBy>,
        {
            self.order_by = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `SearchReviewsOrderBy` for order_by failed"
                        .to_string()
                });
            self
        }
        pub fn page<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i64>,
        {
            self.page = value
                .try_into()
                .map(Some)
                .map_err(|_| "conversion to `i64` for page failed".to_string());
            self
        }
        pub fn partner_in<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::vec::Vec<types::SearchReviewsPartnerInItem>>,
        {
            self.partner_in = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: vec :: Vec < SearchReviewsPartnerInItem >` for partner_in failed"
                        .to_string()
                });
            self
        }
        pub fn per_page<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i64>,
        {
            self.per_page = value
                .try_into()
                .map(Some)
                .map_err(|_| "conversion to `i64` for per_page failed".to_string());
            self
        }
        pub fn rating<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.rating = value
                .try_into()
                .map(Some)
                .map_err(|_| "conversion to `i32` for rating failed".to_string());
            self
        }
        pub fn rating_in<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::vec::Vec<i32>>,
        {
            self.rating_in = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: vec :: Vec < i32 >` for rating_in failed"
                        .to_string()
                });
            self
        }
        pub fn state<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::vec::Vec<types::SearchReviewsStateItem>>,
        {
            self.state = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: vec :: Vec < SearchReviewsStateItem >` for state failed"
                        .to_string()
                });
            self
        }
        pub fn update_date_gte<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.update_date_gte = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for update_date_gte failed"
                        .to_string()
                });
            self
        }
        pub fn update_date_lte<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.update_date_lte = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for update_date_lte failed"
                        .to_string()
                });
            self
        }
        ///Sends a `GET` request to `/api/v2/reviews`
        pub async fn send(self) -> Result<ResponseValue<types::ReviewPage>, Error<()>> {
            let Self {
                client,
                business_in,
                business_city,
                content_isnull,
                order_by,
                page,
                partner_in,
                per_page,
                rating,
                rating_in,
                state,
                update_date_gte,
                update_date_lte,
            } = self;
            let business_in = business_in.map_err(Error::InvalidRequest)?;
            let business_city = business_city.map_err(Error::InvalidRequest)?;
            let content_isnull = content_isnull.map_err(Error::InvalidRequest)?;
            let order_by = order_by.map_err(Error::InvalidRequest)?;
            let page = page.map_err(Error::InvalidRequest)?;
            let partner_in = partner_in.map_err(Error::InvalidRequest)?;
            let per_page = per_page.map_err(Error::InvalidRequest)?;
            let rating = rating.map_err(Error::InvalidRequest)?;
            let rating_in = rating_in.map_err(Error::InvalidRequest)?;
            let state = state.map_err(Error::InvalidRequest)?;
            let update_date_gte = update_date_gte.map_err(Error::InvalidRequest)?;
            let update_date_lte = update_date_lte.map_err(Error::InvalidRequest)?;
            let url = format!("{}/api/v2/reviews", client.baseurl,);
            let mut header_map = ::reqwest::header::HeaderMap::with_capacity(1usize);
            header_map
                .append(
                    ::reqwest::header::HeaderName::from_static("api-version"),
                    ::reqwest::header::HeaderValue::from_static(
                        super::Client::api_version(),
                    ),
                );
            #[allow(unused_mut)]
            let mut request = client
                .client
                .get(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .query(&progenitor_client::QueryParam::new("business__in", &business_in))
                .query(
                    &progenitor_client::QueryParam::new("business_city", &business_city),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "content__isnull",
                        &content_isnull,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("order_by", &order_by))
                .query(&progenitor_client::QueryParam::new("page", &page))
                .query(&progenitor_client::QueryParam::new("partner__in", &partner_in))
                .query(&progenitor_client::QueryParam::new("per_page", &per_page))
                .query(&progenitor_client::QueryParam::new("rating", &rating))
                .query(&progenitor_client::QueryParam::new("rating__in", &rating_in))
                .query(&progenitor_client::QueryParam::new("state", &state))
                .query(
                    &progenitor_client::QueryParam::new(
                        "update_date__gte",
                        &update_date_gte,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "update_date__lte",
                        &update_date_lte,
                    ),
                )
                .headers(header_map)
                .build()?;
            let info = OperationInfo {
                operation_id: "search_reviews",
            };
            client.pre(&mut request, &info).await?;
            let result = client.exec(request, &info).await;
            client.post(&result, &info).await?;
            let response = result?;
            match response.status().as_u16() {
                200u16 => ResponseValue::from_response(response).await,
                _ => Err(Error::UnexpectedResponse(response)),
            }
        }
    }
/// Builder for [`Client::get_review_stats`]
///
/// [`Client::get_review_stats`]: super::Client::get_review_stats
    #[derive(Debug, Clone)]
    pub struct GetReviewStats<'a> {
        client: &'a super::Client,
        business_in: Result<Option<::std::vec::Vec<::std::string::String>>, String>,
        business_city: Result<Option<::std::string::String>, String>,
        content_isnull: Result<Option<bool>, String>,
        group_by: Result<Option<types::GetReviewStatsGroupBy>, String>,
        partner_in: Result<
            Option<::std::vec::Vec<types::GetReviewStatsPartnerInItem>>,
            String,
        >,
        rating: Result<Option<i32>, String>,
        rating_in: Result<Option<::std::vec::Vec<i32>>, String>,
        state: Result<Option<::std::vec::Vec<types::GetReviewStatsStateItem>>, String>,
        update_date_gte: Result<Option<::std::string::String>, String>,
        update_date_lte: Result<Option<::std::string::String>, String>,
    }
    impl<'a> GetReviewStats<'a> {
        pub fn new(client: &'a super::Client) -> Self {
            Self {
                client: client,
                business_in: Ok(None),
                business_city: Ok(None),
                content_isnull: Ok(None),
                group_by: Ok(None),
                partner_in: Ok(None),
                rating: Ok(None),
                rating_in: Ok(None),
                state: Ok(None),
                update_date_gte: Ok(None),
                update_date_lte: Ok(None),
            }
        }
        pub fn business_in<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::vec::Vec<::std::string::String>>,
        {
            self.business_in = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: vec :: Vec < :: std :: string :: String >` for business_in failed"
                        .to_string()
                });
            self
        }
        pub fn business_city<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.business_city = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for business_city failed"
                        .to_string()
                });
            self
        }
        pub fn content_isnull<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<bool>,
        {
            self.content_isnull = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `bool` for content_isnull failed".to_string()
                });
            self
        }
        pub fn group_by<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<types::GetReviewStatsGroupBy>,
        {
            self.group_by = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `GetReviewStatsGroupBy` for group_by failed"
                        .to_string()
                });
            self
        }
        pub fn partner_in<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<
                ::std::vec::Vec<types::GetReviewStatsPartnerInItem>,
            >,
        {
            self.partner_in = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: vec :: Vec < GetReviewStatsPartnerInItem >` for partner_in failed"
                        .to_string()
                });
            self
        }
        pub fn rating<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.rating = value
                .try_into()
                .map(Some)
                .map_err(|_| "conversion to `i32` for rating failed".to_string());
            self
        }
        pub fn rating_in<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::vec::Vec<i32>>,
        {
            self.rating_in = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: vec :: Vec < i32 >` for rating_in failed"
                        .to_string()
                });
            self
        }
        pub fn state<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::vec::Vec<types::GetReviewStatsStateItem>>,
        {
            self.state = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: vec :: Vec < GetReviewStatsStateItem >` for state failed"
                        .to_string()
                });
            self
        }
        pub fn update_date_gte<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.update_date_gte = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for update_date_gte failed"
                        .to_string()
                });
            self
        }
        pub fn update_date_lte<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.update_date_lte = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for update_date_lte failed"
                        .to_string()
                });
            self
        }
        ///Sends a `GET` request to `/api/v2/reviews/stats`
        pub async fn send(self) -> Result<ResponseValue<types::ReviewStats>, Error<()>> {
            let Self {
                client,
                business_in,
                business_city,
                content_isnull,
                group_by,
                partner_in,
                rating,
                rating_in,
                state,
                update_date_gte,
                update_date_lte,
            } = self;
            let business_in = business_in.map_err(Error::InvalidRequest)?;
            let business_city = business_city.map_err(Error::InvalidRequest)?;
            let content_isnull = content_isnull.map_err(Error::InvalidRequest)?;
            let group_by = group_by.map_err(Error::InvalidRequest)?;
            let partner_in = partner_in.map_err(Error::InvalidRequest)?;
            let rating = rating.map_err(Error::InvalidRequest)?;
            let rating_in = rating_in.map_err(Error::InvalidRequest)?;
            let state = state.map_err(Error::InvalidRequest)?;
            let update_date_gte = update_date_gte.map_err(Error::InvalidRequest)?;
            let update_date_lte = update_date_lte.map_err(Error::InvalidRequest)?;
            let url = format!("{}/api/v2/reviews/stats", client.baseurl,);
            let mut header_map = ::reqwest::header::HeaderMap::with_capacity(1usize);
            header_map
                .append(
                    ::reqwest::header::HeaderName::from_static("api-version"),
                    ::reqwest::header::HeaderValue::from_static(
                        super::Client::api_version(),
                    ),
                );
            #[allow(unused_mut)]
            let mut request = client
                .client
                .get(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .query(&progenitor_client::QueryParam::new("business__in", &business_in))
                .query(
                    &progenitor_client::QueryParam::new("business_city", &business_city),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "content__isnull",
                        &content_isnull,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("group_by", &group_by))
                .query(&progenitor_client::QueryParam::new("partner__in", &partner_in))
                .query(&progenitor_client::QueryParam::new("rating", &rating))
                .query(&progenitor_client::QueryParam::new("rating__in", &rating_in))
                .query(&progenitor_client::QueryParam::new("state", &state))
                .query(
                    &progenitor_client::QueryParam::new(
                        "update_date__gte",
                        &update_date_gte,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "update_date__lte",
                        &update_date_lte,
                    ),
                )
                .headers(header_map)
                .build()?;
            let info = OperationInfo {
                operation_id: "get_review_stats",
            };
            client.pre(&mut request, &info).await?;
            let result = client.exec(request, &info).await;
            client.post(&result, &info).await?;
            let response = result?;
            match response.status().as_u16() {
                200u16 => ResponseValue::from_response(response).await,
                _ => Err(Error::UnexpectedResponse(response)),
            }
        }
    }
/// Builder for [`Client::get_review`]
///
/// [`Client::get_review`]: super::Client::get_review
    #[derive(Debug, Clone)]
    pub struct GetReview<'a> {
        client: &'a super::Client,
        review_id: Result<::std::string::String, String>,
    }
    impl<'a> GetReview<'a> {
        pub fn new(client: &'a super::Client) -> Self {
            Self {
                client: client,
                review_id: Err("review_id was not initialized".to_string()),
            }
        }
        pub fn review_id<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.review_id = value
                .try_into()
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for review_id failed"
                        .to_string()
                });
            self
        }
        ///Sends a `GET` request to `/api/v2/reviews/{review_id}`
        pub async fn send(self) -> Result<ResponseValue<types::Review>, Error<()>> {
            let Self { client, review_id } = self;
            let review_id = review_id.map_err(Error::InvalidRequest)?;
            let url = format!(
                "{}/api/v2/reviews/{}", client.baseurl, encode_path(& review_id
                .to_string()),
            );
            let mut header_map = ::reqwest::header::HeaderMap::with_capacity(1usize);
            header_map
                .append(
                    ::reqwest::header::HeaderName::from_static("api-version"),
                    ::reqwest::header::HeaderValue::from_static(
                        super::Client::api_version(),
                    ),
                );
            #[allow(unused_mut)]
            let mut request = client
                .client
                .get(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .headers(header_map)
                .build()?;
            let info = OperationInfo {
                operation_id: "get_review",
            };
            client.pre(&mut request, &info).await?;
            let result = client.exec(request, &info).await;
            client.post(&result, &info).await?;
            let response = result?;
            match response.status().as_u16() {
                200u16 => ResponseValue::from_response(response).await,
                _ => Err(Error::UnexpectedResponse(response)),
            }
        }
    }
/// Builder for [`Client::create_user`]
///
/// [`Client::create_user`]: super::Client::create_user
    #[derive(Debug, Clone)]
    pub struct CreateUser<'a> {
        client: &'a super::Client,
        idempotency_key: Result<Option<::std::string::String>, String>,
        body: Result<types::builder::UserCreation, String>,
    }
    impl<'a> CreateUser<'a> {
        pub fn new(client: &'a super::Client) -> Self {
            Self {
                client: client,
                idempotency_key: Ok(None),
                body: Ok(::std::default::Default::default()),
            }
        }
        pub fn idempotency_key<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.idempotency_key = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for idempotency_key failed"
                        .to_string()
                });
            self
        }
        pub fn body<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<types::UserCreation>,
            <V as std::convert::TryInto<types::UserCreation>>::Error: std::fmt::Display,
        {
            self.body = value
                .try_into()
                .map(From::from)
                .map_err(|s| {
                    format!("conversion to `UserCreation` for body failed: {}", s)
                });
            self
        }
        pub fn body_map<F>(mut self, f: F) -> Self
        where
            F: std::ops::FnOnce(
                types::builder::UserCreation,
            ) -> types::builder::UserCreation,
        {
            self.body = self.body.map(f);
            self
        }
        ///Sends a `POST` request to `/api/v2/user`
        pub async fn send(self) -> Result<ResponseValue<types::Success>, Error<()>> {
            let Self { client, idempotency_key, body } = self;
            let idempotency_key = idempotency_key.map_err(Error::InvalidRequest)?;
            let body = body
                .and_then(|v| {
                    types::UserCreation::try_from(v).map_err(|e| e.to_string())
                })
                .map_err(Error::InvalidRequest)?;
            let url = format!("{}/api/v2/user", client.baseurl,);
            let mut header_map = ::reqwest::header::HeaderMap::with_capacity(2usize);
            header_map
                .append(
                    ::reqwest::header::HeaderName::from_static("api-version"),
                    ::reqwest::header::HeaderValue::from_static(
                        super::Client::api_version(),
                    ),
                );
            if let Some(value) = idempotency_key {
                header_map.append("Idempotency-Key", value.to_string().try_into()?);
            }
            #[allow(unused_mut)]
            let mut request = client
                .client
                .post(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .json(&body)
                .headers(header_map)
                .build()?;
            let info = OperationInfo {
                operation_id: "create_user",
            };
            client.pre(&mut request, &info).await?;
            let result = client.exec(request, &info).await;
            client.post(&result, &info).await?;
            let response = result?;
            match response.status().as_u16() {
                200u16 => ResponseValue::from_response(response).await,
                _ => Err(Error::UnexpectedResponse(response)),
            }
        }
    }
/// Builder for [`Client::get_me`]
///
/// [`Client::get_me`]: super::Client::get_me
    #[derive(Debug, Clone)]
    pub struct GetMe<'a> {
        client: &'a super::Client,
        display_business_ids: Result<Option<bool>, String>,
    }
    impl<'a> GetMe<'a> {
        pub fn new(client: &'a super::Client) -> Self {
            Self {
                client: client,
                display_business_ids: Ok(None),
            }
        }
        pub fn display_business_ids<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<bool>,
        {
            self.display_business_ids = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `bool` for display_business_ids failed".to_string()
                });
            self
        }
        ///Sends a `GET` request to `/api/v2/user/me`
        pub async fn send(self) -> Result<ResponseValue<types::User>, Error<()>> {
            let Self { client, display_business_ids } = self;
            let display_business_ids = display_business_ids
                .map_err(Error::InvalidRequest)?;
            let url = format!("{}/api/v2/user/me", client.baseurl,);
            let mut header_map = ::reqwest::header::HeaderMap::with_capacity(1usize);
            header_map
                .append(
                    ::reqwest::header::HeaderName::from_static("api-version"),
                    ::reqwest::header::HeaderValue::from_static(
                        super::Client::api_version(),
                    ),
                );
            #[allow(unused_mut)]
            let mut request = client
                .client
                .get(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "display_business_ids",
                        &display_business_ids,
                    ),
                )
                .headers(header_map)
                .build()?;
            let info = OperationInfo {
                operation_id: "get_me",
            };
            client.pre(&mut request, &info).await?;
            let result = client.exec(request, &info).await;
            client.post(&result, &info).await?;
            let response = result?;
            match response.status().as_u16() {
                200u16 => ResponseValue::from_response(response).await,
                _ => Err(Error::UnexpectedResponse(response)),
            }
        }
    }
/// Builder for [`Client::search_users`]
///
/// [`Client::search_users`]: super::Client::search_users
    #[derive(Debug, Clone)]
    pub struct SearchUsers<'a> {
        client: &'a super::Client,
        display_business_ids: Result<Option<bool>, String>,
        email: Result<Option<::std::string::String>, String>,
        last_name: Result<Option<::std::string::String>, String>,
        org_id: Result<Option<i64>, String>,
        page: Result<Option<i64>, String>,
        per_page: Result<Option<i64>, String>,
        query: Result<Option<::std::string::String>, String>,
        status: Result<Option<types::SearchUsersStatus>, String>,
    }
    impl<'a> SearchUsers<'a> {
        pub fn new(client: &'a super::Client) -> Self {
            Self {
                client: client,
                display_business_ids: Ok(None),
                email: Ok(None),
                last_name: Ok(None),
                org_id: Ok(None),
                page: Ok(None),
                per_page: Ok(None),
                query: Ok(None),
                status: Ok(None),
            }
        }
        pub fn display_business_ids<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<bool>,
        {
            self.display_business_ids = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `bool` for display_business_ids failed".to_string()
                });
            self
        }
        pub fn email<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.email = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for email failed"
                        .to_string()
                });
            self
        }
        pub fn last_name<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.last_name = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for last_name failed"
                        .to_string()
                });
            self
        }
        pub fn org_id<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i64>,
        {
            self.org_id = value
                .try_into()
                .map(Some)
                .map_err(|_| "conversion to `i64` for org_id failed".to_string());
            self
        }
        pub fn page<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i64>,
        {
            self.page = value
                .try_into()
                .map(Some)
                .map_err(|_| "conversion to `i64` for page failed".to_string());
            self
        }
        pub fn per_page<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i64>,
        {
            self.per_page = value
                .try_into()
                .map(Some)
                .map_err(|_| "conversion to `i64` for per_page failed".to_string());
            self
        }
        pub fn query<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.query = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for query failed"
                        .to_string()
                });
            self
        }
        pub fn status<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<types::SearchUsersStatus>,
        {
            self.status = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `SearchUsersStatus` for status failed".to_string()
                });
            self
        }
        ///Sends a `GET` request to `/api/v2/user/search`
        pub async fn send(self) -> Result<ResponseValue<types::UserPage>, Error<()>> {
            let Self {
                client,
                display_business_ids,
                email,
                last_name,
                org_id,
                page,
                per_page,
                query,
                status,
            } = self;
            let display_business_ids = display_business_ids
                .map_err(Error::InvalidRequest)?;
            let email = email.map_err(Error::InvalidRequest)?;
            let last_name = last_name.map_err(Error::InvalidRequest)?;
            let org_id = org_id.map_err(Error::InvalidRequest)?;
            let page = page.map_err(Error::InvalidRequest)?;
            let per_page = per_page.map_err(Error::InvalidRequest)?;
            let query = query.map_err(Error::InvalidRequest)?;
            let status = status.map_err(Error::InvalidRequest)?;
            let url = format!("{}/api/v2/user/search", client.baseurl,);
            let mut header_map = ::reqwest::header::HeaderMap::with_capacity(1usize);
            header_map
                .append(
                    ::reqwest::header::HeaderName::from_static("api-version"),
                    ::reqwest::header::HeaderValue::from_static(
                        super::Client::api_version(),
                    ),
                );
            #[allow(unused_mut)]
            let mut request = client
                .client
                .get(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "display_business_ids",
                        &display_business_ids,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("email", &email))
                .query(&progenitor_client::QueryParam::new("last_name", &last_name))
                .query(&progenitor_client::QueryParam::new("org_id", &org_id))
                .query(&progenitor_client::QueryParam::new("page", &page))
                .query(&progenitor_client::QueryParam::new("per_page", &per_page))
                .query(&progenitor_client::QueryParam::new("query", &query))
                .query(&progenitor_client::QueryParam::new("status", &status))
                .headers(header_map)
                .build()?;
            let info = OperationInfo {
                operation_id: "search_users",
            };
            client.pre(&mut request, &info).await?;
            let result = client.exec(request, &info).await;
            client.post(&result, &info).await?;
            let response = result?;
            match response.status().as_u16() {
                200u16 => ResponseValue::from_response(response).await,
                _ => Err(Error::UnexpectedResponse(response)),
            }
        }
    }
/// Builder for [`Client::get_user_stats`]
///
/// [`Client::get_user_stats`]: super::Client::get_user_stats
    #[derive(Debug, Clone)]
    pub struct GetUserStats<'a> {
        client: &'a super::Client,
    }
    impl<'a> GetUserStats<'a> {
        pub fn new(client: &'a super::Client) -> Self {
            Self { client: client }
        }
        ///Sends a `GET` request to `/api/v2/user/stats`
        pub async fn send(self) -> Result<ResponseValue<types::UserStats>, Error<()>> {
            let Self { client } = self;
            let url = format!("{}/api/v2/user/stats", client.baseurl,);
            let mut header_map = ::reqwest::header::HeaderMap::with_capacity(1usize);
            header_map
                .append(
                    ::reqwest::header::HeaderName::from_static("api-version"),
                    ::reqwest::header::HeaderValue::from_static(
                        super::Client::api_version(),
                    ),
                );
            #[allow(unused_mut)]
            let mut request = client
                .client
                .get(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .headers(header_map)
                .build()?;
            let info = OperationInfo {
                operation_id: "get_user_stats",
            };
            client.pre(&mut request, &info).await?;
            let result = client.exec(request, &info).await;
            client.post(&result, &info).await?;
            let response = result?;
            match response.status().as_u16() {
                200u16 => ResponseValue::from_response(response).await,
                _ => Err(Error::UnexpectedResponse(response)),
            }
        }
    }
/// Builder for [`Client::get_user`]
///
/// [`Client::get_user`]: super::Client::get_user
    #[derive(Debug, Clone)]
    pub struct GetUser<'a> {
        client: &'a super::Client,
        user_id: Result<::std::string::String, String>,
        display_business_ids: Result<Option<bool>, String>,
    }
    impl<'a> GetUser<'a> {
        pub fn new(client: &'a super::Client) -> Self {
            Self {
                client: client,
                user_id: Err("user_id was not initialized".to_string()),
                display_business_ids: Ok(None),
            }
        }
        pub fn user_id<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.user_id = value
                .try_into()
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for user_id failed"
                        .to_string()
                });
            self
        }
        pub fn display_business_ids<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<bool>,
        {
            self.display_business_ids = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `bool` for display_business_ids failed".to_string()
                });
            self
        }
        ///Sends a `GET` request to `/api/v2/user/{user_id}`
        pub async fn send(self) -> Result<ResponseValue<types::User>, Error<()>> {
            let Self { client, user_id, display_business_ids } = self;
            let user_id = user_id.map_err(Error::InvalidRequest)?;
            let display_business_ids = display_business_ids
                .map_err(Error::InvalidRequest)?;
            let url = format!(
                "{}/api/v2/user/{}", client.baseurl, encode_path(& user_id.to_string()),
            );
            let mut header_map = ::reqwest::header::HeaderMap::with_capacity(1usize);
            header_map
                .append(
                    ::reqwest::header::HeaderName::from_static("api-version"),
                    ::reqwest::header::HeaderValue::from_static(
                        super::Client::api_version(),
                    ),
                );
            #[allow(unused_mut)]
            let mut request = client
                .client
                .get(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "display_business_ids",
                        &display_business_ids,
                    ),
                )
                .headers(header_map)
                .build()?;
            let info = OperationInfo {
                operation_id: "get_user",
            };
            client.pre(&mut request, &info).await?;
            let result = client.exec(request, &info).await;
            client.post(&result, &info).await?;
            let response = result?;
            match response.status().as_u16() {
                200u16 => ResponseValue::from_response(response).await,
                _ => Err(Error::UnexpectedResponse(response)),
            }
        }
    }
/// Builder for [`Client::update_user`]
///
/// [`Client::update_user`]: super::Client::update_user
    #[derive(Debug, Clone)]
    pub struct UpdateUser<'a> {
        client: &'a super::Client,
        user_id: Result<::std::string::String, String>,
        idempotency_key: Result<Option<::std::string::String>, String>,
        body: Result<types::builder::UserChange, String>,
    }
    impl<'a> UpdateUser<'a> {
        pub fn new(client: &'a super::Client) -> Self {
            Self {
                client: client,
                user_id: Err("user_id was not initialized".to_string()),
                idempotency_key: Ok(None),
                body: Ok(::std::default::Default::default()),
            }
        }
        pub fn user_id<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.user_id = value
                .try_into()
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for user_id failed"
                        .to_string()
                });
            self
        }
        pub fn idempotency_key<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.idempotency_key = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for idempotency_key failed"
                        .to_string()
                });
            self
        }
        pub fn body<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<types::UserChange>,
            <V as std::convert::TryInto<types::UserChange>>::Error: std::fmt::Display,
        {
            self.body = value
                .try_into()
                .map(From::from)
                .map_err(|s| {
                    format!("conversion to `UserChange` for body failed: {}", s)
                });
            self
        }
        pub fn body_map<F>(mut self, f: F) -> Self
        where
            F: std::ops::FnOnce(
                types::builder::UserChange,
            ) -> types::builder::UserChange,
        {
            self.body = self.body.map(f);
            self
        }
        ///Sends a `POST` request to `/api/v2/user/{user_id}`
        pub async fn send(self) -> Result<ResponseValue<types::Success>, Error<()>> {
            let Self { client, user_id, idempotency_key, body } = self;
            let user_id = user_id.map_err(Error::InvalidRequest)?;
            let idempotency_key = idempotency_key.map_err(Error::InvalidRequest)?;
            let body = body
                .and_then(|v| types::UserChange::try_from(v).map_err(|e| e.to_string()))
                .map_err(Error::InvalidRequest)?;
            let url = format!(
                "{}/api/v2/user/{}", client.baseurl, encode_path(& user_id.to_string()),
            );
            let mut header_map = ::reqwest::header::HeaderMap::with_capacity(2usize);
            header_map
                .append(
                    ::reqwest::header::HeaderName::from_static("api-version"),
                    ::reqwest::header::HeaderValue::from_static(
                        super::Client::api_version(),
                    ),
                );
            if let Some(value) = idempotency_key {
                header_map.append("Idempotency-Key", value.to_string().try_into()?);
            }
            #[allow(unused_mut)]
            let mut request = client
                .client
                .post(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .json(&body)
                .headers(header_map)
                .build()?;
            let info = OperationInfo {
                operation_id: "update_user",
            };
            client.pre(&mut request, &info).await?;
            let result = client.exec(request, &info).await;
            client.post(&result, &info).await?;
            let response = result?;
            match response.status().as_u16() {
                200u16 => ResponseValue::from_response(response).await,
                _ => Err(Error::UnexpectedResponse(response)),
            }
        }
    }
/// Builder for [`Client::delete_user`]
///
/// [`Client::delete_user`]: super::Client::delete_user
    #[derive(Debug, Clone)]
    pub struct DeleteUser<'a> {
        client: &'a super::Client,
        user_id: Result<::std::string::String, String>,
        idempotency_key: Result<Option<::std::string::String>, String>,
    }
    impl<'a> DeleteUser<'a> {
        pub fn new(client: &'a super::Client) -> Self {
            Self {
                client: client,
                user_id: Err("user_id was not initialized".to_string()),
                idempotency_key: Ok(None),
            }
        }
        pub fn user_id<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.user_id = value
                .try_into()
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for user_id failed"
                        .to_string()
                });
            self
        }
        pub fn idempotency_key<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.idempotency_key = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for idempotency_key failed"
                        .to_string()
                });
            self
        }
        ///Sends a `DELETE` request to `/api/v2/user/{user_id}`
        pub async fn send(self) -> Result<ResponseValue<types::Success>, Error<()>> {
            let Self { client, user_id, idempotency_key } = self;
            let user_id = user_id.map_err(Error::InvalidRequest)?;
            let idempotency_key = idempotency_key.map_err(Error::InvalidRequest)?;
            let url = format!(
                "{}/api/v2/user/{}", client.baseurl, encode_path(& user_id.to_string()),
            );
            let mut header_map = ::reqwest::header::HeaderMap::with_capacity(2usize);
            header_map
                .append(
                    ::reqwest::header::HeaderName::from_static("api-version"),
                    ::reqwest::header::HeaderValue::from_static(
                        super::Client::api_version(),
                    ),
                );
            if let Some(value) = idempotency_key {
                header_map.append("Idempotency-Key", value.to_string().try_into()?);
            }
            #[allow(unused_mut)]
            let mut request = client
                .client
                .delete(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .headers(header_map)
                .build()?;
            let info = OperationInfo {
                operation_id: "delete_user",
            };
            client.pre(&mut request, &info).await?;
            let result = client.exec(request, &info).await;
            client.post(&result, &info).await?;
            let response = result?;
            match response.status().as_u16() {
                200u16 => ResponseValue::from_response(response).await,
                _ => Err(Error::UnexpectedResponse(response)),
            }
        }
    }
/// Builder for [`Client::invite_user`]
///
/// [`Client::invite_user`]: super::Client::invite_user
    #[derive(Debug, Clone)]
    pub struct InviteUser<'a> {
        client: &'a super::Client,
        user_id: Result<::std::string::String, String>,
        idempotency_key: Result<Option<::std::string::String>, String>,
    }
    impl<'a> InviteUser<'a> {
        pub fn new(client: &'a super::Client) -> Self {
            Self {
                client: client,
                user_id: Err("user_id was not initialized".to_string()),
                idempotency_key: Ok(None),
            }
        }
        pub fn user_id<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.user_id = value
                .try_into()
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for user_id failed"
                        .to_string()
                });
            self
        }
        pub fn idempotency_key<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.idempotency_key = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "conversion to `:: std :: string :: String` for idempotency_key failed"
                        .to_string()
                });
            self
        }
        ///Sends a `POST` request to `/api/v2/user/{user_id}/invite`
        pub async fn send(self) -> Result<ResponseValue<types::Success>, Error<()>> {
            let Self { client, user_id, idempotency_key } = self;
            let user_id = user_id.map_err(Error::InvalidRequest)?;
            let idempotency_key = idempotency_key.map_err(Error::InvalidRequest)?;
            let url = format!(
                "{}/api/v2/user/{}/invite", client.baseurl, encode_path(& user_id
                .to_string()),
            );
            let mut header_map = ::reqwest::header::HeaderMap::with_capacity(2usize);
            header_map
                .append(
                    ::reqwest::header::HeaderName::from_static("api-version"),
                    ::reqwest::header::HeaderValue::from_static(
                        super::Client::api_version(),
                    ),
                );
            if let Some(value) = idempotency_key {
                header_map.append("Idempotency-Key", value.to_string().try_into()?);
            }
            #[allow(unused_mut)]
            let mut request = client
                .client
                .post(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .headers(header_map)
                .build()?;
            let info = OperationInfo {
                operation_id: "invite_user",
            };
            client.pre(&mut request, &info).await?;
            let result = client.exec(request, &info).await;
            client.post(&result, &info).await?;
            let response = result?;
            match response.status().as_u16() {
                200u16 => ResponseValue::from_response(response).await,
                _ => Err(Error::UnexpectedResponse(response)),
            }
        }
    }
}
/// Items consumers will typically use such as the Client.
pub mod prelude {
    pub use self::super::Client;
}

//! Client of the presence API.

use std::sync::Arc;

use futures::Stream;
use reqwest::header::HeaderValue;
use reqwest::redirect::Policy;
use secrecy::ExposeSecret as _;

use crate::error::body;
use crate::events::{LIMIT, follow};
use crate::generated::{Client, builder};
use crate::layer::Layer;
use crate::pages::{MAX_PER_PAGE, results, walk};
use crate::pull::{Bounds, pull};
use crate::types::{
    Business, BusinessPage, Category, CategoryPage, Delivery, DeliveryPage, FoundUser, IssuedKey, Key, KeyCreation,
    KeyRotation, OutcomeReport, Reply, ReplyAfterOutcome, ReplyRequest, Review, ReviewChange, ReviewChangeState,
    ReviewPage, ReviewStats, User, UserChange, UserCreation, UserPage, UserStats, Webhook, WebhookChange,
    WebhookCreation, WebhookReplay, WebhookWithSecret,
};
use crate::{Batch, CallOptions, Error, EventBatch, EventOptions, Options, OptionsError, PullOptions};

/// Client of the presence API. Clones share connections. Filters are set by a function on the builder of the operation.
#[derive(Clone, Debug)]
pub struct PresenceClient {
    api: Client,
}

/// A search with all its pages.
macro_rules! search {
    ($search:ident, $iterate:ident, $builder:ident, $page:ty, $item:ty, $what:literal) => {
        #[doc = concat!("Returns one page of a search of ", $what, ".")]
        pub async fn $search<F>(&self, filter: F) -> Result<$page, Error>
        where
            F: for<'a> FnOnce(builder::$builder<'a>) -> builder::$builder<'a>,
        {
            body(filter(self.api.$search()).send().await).await
        }

        #[doc = concat!("Yields each of the ", $what, " that a search finds, in pages of 100 or as the filter says.")]
        pub fn $iterate<F>(&self, filter: F) -> impl Stream<Item = Result<$item, Error>>
        where
            F: for<'a> FnOnce(builder::$builder<'a>) -> builder::$builder<'a>,
        {
            let search = filter(self.api.$search().per_page(MAX_PER_PAGE));
            results(walk::<$page>(async move |page| body(search.clone().page(page).send().await).await))
        }
    };
}

impl PresenceClient {
    /// Returns a client.
    pub fn new(options: Options) -> Result<Self, OptionsError> {
        let own = concat!("presence-client-rust/", env!("CARGO_PKG_VERSION"));
        let user_agent = options.user_agent.map_or_else(|| own.to_owned(), |text| format!("{text} {own}"));
        let user_agent = HeaderValue::from_str(&user_agent).map_err(|_| OptionsError::Header("the user agent"))?;
        HeaderValue::from_str(options.api_key.expose_secret()).map_err(|_| OptionsError::Header("the key"))?;
        // A redirect would carry the key to another place, so that none is followed.
        let http = reqwest::Client::builder()
            .timeout(options.timeout)
            .user_agent(user_agent)
            .redirect(Policy::none())
            .build()?;
        let layer = Layer { api_key: Arc::new(options.api_key), retry: options.retry, call: CallOptions::default() };
        Ok(Self { api: Client::new_with_client(&options.base_url, http, layer) })
    }

    /// Returns a client with settings from `PRESENCE_URL` and `PRESENCE_API_KEY`.
    pub fn from_env() -> Result<Self, OptionsError> {
        Self::new(Options::from_env()?)
    }

    /// Returns a client whose calls have these options.
    #[must_use]
    pub fn with(&self, call: CallOptions) -> Self {
        let mut api = self.api.clone();
        api.inner.call = call;
        Self { api }
    }

    /// Returns the user who owns the key.
    pub async fn me(&self) -> Result<User, Error> {
        body(self.api.get_me().send().await).await
    }

    /// Returns a user.
    pub async fn user(&self, id: &str) -> Result<User, Error> {
        body(self.api.get_user().user_id(id).send().await).await
    }

    /// Returns the numbers of users.
    pub async fn user_stats(&self) -> Result<UserStats, Error> {
        body(self.api.get_user_stats().send().await).await
    }

    /// Creates a user. Returns its id.
    pub async fn create_user(&self, user: UserCreation) -> Result<String, Error> {
        let done = body(self.api.create_user().body(user).send().await).await?;
        done.id.ok_or_else(|| Error::Form("the answer has no id".to_owned()))
    }

    /// Changes the given fields of a user.
    pub async fn update_user(&self, id: &str, fields: UserChange) -> Result<(), Error> {
        body(self.api.update_user().user_id(id).body(fields).send().await).await.map(drop)
    }

    /// Deletes a user for good.
    pub async fn delete_user(&self, id: &str) -> Result<(), Error> {
        body(self.api.delete_user().user_id(id).send().await).await.map(drop)
    }

    /// Sends a new invitation to an invited user, at most once in 5 minutes.
    pub async fn invite_user(&self, id: &str) -> Result<(), Error> {
        body(self.api.invite_user().user_id(id).send().await).await.map(drop)
    }

    /// Returns the keys of a user, newest first: live ones, and those that ended in the last 90 days.
    pub async fn list_keys(&self, user_id: &str) -> Result<Vec<Key>, Error> {
        Ok(body(self.api.list_keys().user_id(user_id).send().await).await?.keys)
    }

    /// Creates a key for a user. Its `key` is shown this once; it is `None` if the answer that had it was lost.
    pub async fn create_key(&self, user_id: &str, key: KeyCreation) -> Result<IssuedKey, Error> {
        body(self.api.create_key().user_id(user_id).body(key).send().await).await
    }

    /// Replaces a key. The old one gives access for a day more, or for `overlap_seconds`. Answers as `create_key`.
    pub async fn rotate_key(&self, user_id: &str, key_id: &str, rotation: KeyRotation) -> Result<IssuedKey, Error> {
        body(self.api.rotate_key().user_id(user_id).key_id(key_id).body(rotation).send().await).await
    }

    /// Ends a key at once. The key that asks may end itself.
    pub async fn revoke_key(&self, user_id: &str, key_id: &str) -> Result<(), Error> {
        body(self.api.revoke_key().user_id(user_id).key_id(key_id).send().await).await.map(drop)
    }

    search!(search_users, iterate_users, SearchUsers, UserPage, FoundUser, "users");
    search!(search_categories, iterate_categories, SearchCategories, CategoryPage, Category, "categories");
    search!(search_businesses, iterate_businesses, SearchBusinesses, BusinessPage, Business, "businesses");
    search!(search_reviews, iterate_reviews, SearchReviews, ReviewPage, Review, "reviews");

    /// Returns a category, with its name in a language.
    pub async fn category(&self, id: &str, lang: &str) -> Result<Category, Error> {
        body(self.api.get_category().category_id(id).lang(lang).send().await).await
    }

    /// Returns a review.
    pub async fn review(&self, id: &str) -> Result<Review, Error> {
        body(self.api.get_review().review_id(id).send().await).await
    }

    /// Returns statistics of the reviews that a search finds.
    pub async fn review_stats<F>(&self, filter: F) -> Result<ReviewStats, Error>
    where
        F: for<'a> FnOnce(builder::GetReviewStats<'a>) -> builder::GetReviewStats<'a>,
    {
        body(filter(self.api.get_review_stats()).send().await).await
    }

    /// Sets the state of a review. Returns the review.
    pub async fn set_review_state(&self, id: &str, state: ReviewChangeState) -> Result<Review, Error> {
        body(self.api.set_review_state().review_id(id).body(ReviewChange { state }).send().await).await
    }

    /// Returns the reply to a review. The error is of the kind `NotFound` if there is none.
    pub async fn reply(&self, review_id: &str) -> Result<Reply, Error> {
        body(self.api.get_reply().review_id(review_id).send().await).await
    }

    /// Replies to a review, or replaces the reply. It is `pending` until the partner's outcome. The review is `treated`.
    pub async fn put_reply(&self, review_id: &str, content: &str) -> Result<Reply, Error> {
        let request = ReplyRequest { content: content.to_owned() };
        body(self.api.put_reply().review_id(review_id).body(request).send().await).await
    }

    /// Takes the reply to a review back. It is `removing` until the partner has removed what it has.
    pub async fn delete_reply(&self, review_id: &str) -> Result<(), Error> {
        body(self.api.delete_reply().review_id(review_id).send().await).await.map(drop)
    }

    /// Reports the outcome of a reply, with a PROVIDER's key. Returns the reply, or `None` if there is none any more.
    pub async fn report_reply_outcome(&self, review_id: &str, report: OutcomeReport) -> Result<Option<Reply>, Error> {
        match body(self.api.report_reply_outcome().review_id(review_id).body(report).send().await).await? {
            ReplyAfterOutcome::Reply(reply) => Ok(Some(reply)),
            ReplyAfterOutcome::ReviewSuccess(_) => Ok(None),
        }
    }

    /// Yields the reviews that changed at or after the cursor, in batches. Without a cursor: all reviews.
    ///
    /// `filter` sets neither dates nor order nor pages.
    pub fn pull_reviews<F>(
        &self,
        cursor: Option<String>,
        options: PullOptions,
        filter: F,
    ) -> impl Stream<Item = Result<Batch, Error>>
    where
        F: for<'a> FnOnce(builder::SearchReviews<'a>) -> builder::SearchReviews<'a>,
    {
        let search = filter(self.api.search_reviews()).order_by("update_date").per_page(options.per_page);
        let read = async move |(lower, upper): Bounds, page| {
            let mut search = search.clone().page(page);
            if let Some(lower) = lower {
                search = search.update_date_gte(lower);
            }
            if let Some(upper) = upper {
                search = search.update_date_lte(upper);
            }
            body(search.send().await).await
        };
        pull(read, cursor, options)
    }

    /// Yields the events of an organisation after a cursor, oldest first, and goes on with those that come.
    ///
    /// Without a cursor: from the oldest that is kept; with `now`: those that come. `filter` sets types, and the organisation, which a
    /// PROVIDER names. The error is of the kind `Gone` if the cursor is no longer kept.
    pub fn events<F>(
        &self,
        after: Option<String>,
        options: EventOptions,
        filter: F,
    ) -> impl Stream<Item = Result<EventBatch, Error>>
    where
        F: for<'a> FnOnce(builder::ListEvents<'a>) -> builder::ListEvents<'a>,
    {
        let list = filter(self.api.list_events()).limit(LIMIT);
        let read = async move |cursor: Option<String>| {
            let list = list.clone();
            let list = if let Some(cursor) = cursor { list.after(cursor) } else { list };
            body(list.send().await).await
        };
        follow(read, after, options)
    }

    /// Returns the webhooks of an organisation, oldest first. A PROVIDER names it.
    pub async fn list_webhooks(&self, org_id: Option<&str>) -> Result<Vec<Webhook>, Error> {
        let list = self.api.list_webhooks();
        let list = if let Some(org_id) = org_id { list.org_id(org_id) } else { list };
        Ok(body(list.send().await).await?.webhooks)
    }

    /// Creates a webhook. Its `secret` is shown this once; it is `None` if the answer that had it was lost.
    pub async fn create_webhook(&self, webhook: WebhookCreation) -> Result<WebhookWithSecret, Error> {
        body(self.api.create_webhook().body(webhook).send().await).await
    }

    /// Returns a webhook.
    pub async fn webhook(&self, id: &str) -> Result<Webhook, Error> {
        body(self.api.get_webhook().webhook_id(id).send().await).await
    }

    /// Changes the given fields of a webhook. Returns the webhook.
    pub async fn update_webhook(&self, id: &str, fields: WebhookChange) -> Result<Webhook, Error> {
        body(self.api.update_webhook().webhook_id(id).body(fields).send().await).await
    }

    /// Deletes a webhook. Nothing is sent to it any more.
    pub async fn delete_webhook(&self, id: &str) -> Result<(), Error> {
        body(self.api.delete_webhook().webhook_id(id).send().await).await.map(drop)
    }

    /// Replaces the secret. Both secrets sign for 24 hours. Answers as `create_webhook`.
    pub async fn rotate_webhook(&self, id: &str) -> Result<WebhookWithSecret, Error> {
        body(self.api.rotate_webhook().webhook_id(id).send().await).await
    }

    /// Sends an event `webhook.test` once. Returns its delivery.
    pub async fn test_webhook(&self, id: &str) -> Result<Delivery, Error> {
        body(self.api.test_webhook().webhook_id(id).send().await).await
    }

    /// Lets a disabled webhook go on where it stopped. Returns the webhook.
    pub async fn enable_webhook(&self, id: &str) -> Result<Webhook, Error> {
        body(self.api.enable_webhook().webhook_id(id).send().await).await
    }

    /// Sends all events after a cursor again. Returns the webhook.
    pub async fn replay_webhook(&self, id: &str, after: &str) -> Result<Webhook, Error> {
        let replay = WebhookReplay { after: after.to_owned() };
        body(self.api.replay_webhook().webhook_id(id).body(replay).send().await).await
    }

    /// Returns one page of the deliveries of the last 30 days, newest first.
    pub async fn list_deliveries<F>(&self, id: &str, filter: F) -> Result<DeliveryPage, Error>
    where
        F: for<'a> FnOnce(builder::ListDeliveries<'a>) -> builder::ListDeliveries<'a>,
    {
        body(filter(self.api.list_deliveries().webhook_id(id)).send().await).await
    }
}

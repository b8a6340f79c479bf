//! `PostgreSQL` with the indexes that a skilled person would make for these searches: counts and pages are read from indexes
//! alone, and only the rows of the page from the table.

use std::fmt::Write as _;
use std::pin::pin;

use futures::SinkExt as _;
use presence_domain::ids::OrgId;
use presence_domain::review::Review;
use presence_runtime::clock::Stopwatch;
use presence_store::meter::Cost;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Statement};

use super::backend::{Answer, Backend};
use super::postgres_server::PostgresServer;
use super::search::{Filter, Search};

const TABLE: &str = "
CREATE TABLE reviews (
    id text NOT NULL, org_id bigint NOT NULL, effective_at bigint NOT NULL, state smallint NOT NULL,
    rating smallint NOT NULL, partner smallint NOT NULL, has_content boolean NOT NULL, city_key text NOT NULL,
    business_id text NOT NULL, partner_id text NOT NULL, key text NOT NULL, author_name text, date bigint NOT NULL,
    update_date bigint, delete_date text, title text, content text, reply_comment text, link text
)";

/// Made after loading. The first serves what the others do not; the last serves every combination that names a state, and
/// is short where the combination is narrow.
const INDEXES: &str = "
ALTER TABLE reviews ADD PRIMARY KEY (id);
CREATE INDEX by_date ON reviews (org_id, effective_at DESC, id DESC) INCLUDE (state, rating, partner, has_content);
CREATE INDEX by_state ON reviews (org_id, state, effective_at DESC, id DESC);
CREATE INDEX by_rating ON reviews (org_id, rating, effective_at DESC, id DESC);
CREATE INDEX by_content ON reviews (org_id, has_content, effective_at DESC, id DESC);
CREATE INDEX by_city ON reviews (org_id, city_key, effective_at DESC, id DESC);
CREATE INDEX by_business ON reviews (business_id, effective_at DESC, id DESC) INCLUDE (org_id);
CREATE INDEX by_cell ON reviews (org_id, state, rating, partner, has_content, effective_at DESC, id DESC);
";

const COPY: &str = "COPY reviews FROM STDIN";
/// What one chunk of the copy has at least.
const COPY_BYTES: usize = 1 << 20;

/// A database with the reviews, on a server of its own.
pub(super) struct Postgres {
    client: Client,
    _server: PostgresServer,
}

/// The statements of a search, prepared, with their values.
pub(super) struct PreparedStatements {
    count: Statement,
    page: Statement,
    /// The page alone, from the other end of the index; its rows come in reverse.
    page_from_the_end: Statement,
    values: Vec<Box<dyn ToSql + Sync + Send>>,
}

impl Postgres {
    /// Starts a server with an empty table.
    pub(super) async fn start() -> anyhow::Result<Self> {
        let server = PostgresServer::start()?;
        let mut config = tokio_postgres::Config::new();
        config.host_path(server.socket()).user("bench").dbname("postgres");
        let (client, connection) = config.connect(NoTls).await?;
        // Where it breaks, the queries fail.
        tokio::spawn(connection);
        client.batch_execute(TABLE).await?;
        Ok(Self { client, _server: server })
    }

    /// Loads reviews.
    pub(super) async fn load(&self, reviews: &[Review]) -> anyhow::Result<()> {
        let mut sink = pin!(self.client.copy_in::<_, bytes::Bytes>(COPY).await?);
        let mut lines = String::with_capacity(2 * COPY_BYTES);
        for review in reviews {
            line(&mut lines, review);
            if lines.len() >= COPY_BYTES {
                sink.send(std::mem::take(&mut lines).into()).await?;
            }
        }
        sink.send(lines.into()).await?;
        sink.finish().await?;
        Ok(())
    }

    /// Makes the indexes and all that helps to read from them alone.
    pub(super) async fn finish_loading(&self) -> anyhow::Result<()> {
        self.client.batch_execute(INDEXES).await?;
        // Not in one text: a vacuum must not run in a transaction.
        self.client.batch_execute("VACUUM (ANALYZE, FREEZE) reviews").await?;
        Ok(())
    }

    /// Bytes of the table, and of its indexes.
    pub(super) async fn bytes(&self) -> anyhow::Result<(i64, i64)> {
        let sizes = "SELECT pg_table_size('reviews'), pg_indexes_size('reviews')";
        let row = self.client.query_one(sizes, &[]).await?;
        Ok((row.get(0), row.get(1)))
    }

    /// Prepares a search.
    pub(super) async fn prepare(&self, org_id: OrgId, search: &Search) -> anyhow::Result<PreparedStatements> {
        let (condition, values) = condition(org_id, &search.filter)?;
        let range = search.page.range(search.match_count);
        let page = |order: &str, limit: u64, offset: u64| {
            format!(
                "SELECT r.* FROM (SELECT id FROM reviews WHERE {condition} ORDER BY effective_at {order}, id {order} \
                 LIMIT {limit} OFFSET {offset}) page JOIN reviews r USING (id) \
                 ORDER BY r.effective_at {order}, r.id {order}"
            )
        };
        let from_the_end = page("ASC", range.end - range.start, search.match_count - range.end);
        let page = page("DESC", search.page.size, search.page.start());
        Ok(PreparedStatements {
            count: self.client.prepare(&format!("SELECT count(*) FROM reviews WHERE {condition}")).await?,
            page: self.client.prepare(&page).await?,
            page_from_the_end: self.client.prepare(&from_the_end).await?,
            values,
        })
    }

    /// Count and page, sent together over one connection; or a shorter way.
    pub(super) async fn search(&self, prepared: &PreparedStatements, way: Backend) -> anyhow::Result<Answer> {
        let (stopwatch, values) = (Stopwatch::start(), prepared.values());
        let from_the_end = way == Backend::PostgresReversed;
        let statement = if from_the_end { &prepared.page_from_the_end } else { &prepared.page };
        let page = self.client.query(statement, &values);
        let (count, mut rows) = if way == Backend::PostgresPageOnly {
            (None, page.await?)
        } else {
            let (count, rows) = futures::try_join!(self.client.query_one(&prepared.count, &values), page)?;
            (Some(u64::try_from(count.get::<_, i64>(0))?), rows)
        };
        if from_the_end {
            rows.reverse();
        }
        let ids = rows.iter().map(|row| row.get("id")).collect();
        Ok(Answer { count, ids, cost: Cost::default(), elapsed: stopwatch.elapsed() })
    }
}

impl PreparedStatements {
    fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.values.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect()
    }
}

type Values = Vec<Box<dyn ToSql + Sync + Send>>;

/// The condition of a filter, and the values of its parameters.
fn condition(org_id: OrgId, filter: &Filter) -> anyhow::Result<(String, Values)> {
    let mut values: Values = vec![Box::new(i64::try_from(org_id.get())?)];
    let mut condition = "org_id = $1".to_owned();
    let mut and = |what: &str, value: Box<dyn ToSql + Sync + Send>| {
        values.push(value);
        let _ = write!(condition, " AND {what} (${})", values.len());
    };
    if let Some(state) = filter.state {
        and("state =", Box::new(state as i16));
    }
    if let Some(rating) = filter.rating {
        and("rating =", Box::new(i16::from(rating.get())));
    }
    if let Some(partner) = filter.partner {
        and("partner =", Box::new(partner as i16));
    }
    if let Some(has_content) = filter.has_content {
        and("has_content =", Box::new(has_content));
    }
    if let Some(city) = &filter.city_key {
        and("city_key =", Box::new(city.clone()));
    }
    match filter.businesses.as_slice() {
        [] => {}
        [one] => and("business_id =", Box::new(one.as_str().to_owned())),
        several => {
            let ids: Vec<String> = several.iter().map(|id| id.as_str().to_owned()).collect();
            and("business_id = ANY", Box::new(ids));
        }
    }
    if let Some((from, to)) = filter.between {
        and("effective_at >=", Box::new(from));
        and("effective_at <=", Box::new(to));
    }
    Ok((condition, values))
}

/// A line of the copy format, columns in the order of the table.
fn line(lines: &mut String, review: &Review) {
    let has_content = review.content.as_ref().is_some_and(|content| !content.trim().is_empty());
    let (number, text) = (|number: i64| Some(number.to_string()), |text: &str| Some(text.to_owned()));
    let columns = [
        text(review.id.as_str()),
        Some(review.org_id.to_string()),
        number(review.effective_at()),
        number(review.state as i64),
        number(i64::from(review.rating.get())),
        number(review.partner as i64),
        text(if has_content { "t" } else { "f" }),
        text(&review.city_key),
        text(review.business_id.as_str()),
        text(&review.partner_id),
        text(&review.key),
        review.author_name.clone(),
        number(review.date),
        review.update_date.and_then(number),
        review.delete_date.map(|day| day.to_string()),
        review.title.clone(),
        review.content.clone(),
        review.reply_comment.clone(),
        review.link.clone(),
    ];
    for (position, column) in columns.into_iter().enumerate() {
        if position > 0 {
            lines.push('\t');
        }
        match column {
            None => lines.push_str("\\N"),
            Some(text) => text.chars().for_each(|character| push_escaped(lines, character)),
        }
    }
    lines.push('\n');
}

fn push_escaped(lines: &mut String, character: char) {
    match character {
        '\\' => lines.push_str("\\\\"),
        '\t' => lines.push_str("\\t"),
        '\n' => lines.push_str("\\n"),
        '\r' => lines.push_str("\\r"),
        other => lines.push(other),
    }
}

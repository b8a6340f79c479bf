//! Backend of `PostgreSQL`, with the indexes that an experienced engineer would create for these searches.
//!
//! Counts and pages are read from indexes alone, and only the rows of the page from the table.

use std::fmt::Write as _;
use std::pin::pin;
use std::time::Duration;

use futures::SinkExt as _;
use presence_bench::cost::Cost;
use presence_domain::ids::OrgId;
use presence_domain::review::Review;
use presence_domain::review_stats::GroupBy;
use presence_runtime::clock::Stopwatch;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Statement};

use super::backend::{Answer, Backend};
use super::group_by::{Groups, StatsAnswer, StatsCase};
use super::postgres_server::PostgresServer;
use super::search::{Filter, Search};

const TABLE: &str = "
CREATE TABLE reviews (
    id text NOT NULL, org_id bigint NOT NULL, effective_at bigint NOT NULL, state smallint NOT NULL,
    rating smallint NOT NULL, partner smallint NOT NULL, has_content boolean NOT NULL, city_key text NOT NULL,
    business_id text NOT NULL, partner_id text NOT NULL, key text NOT NULL, author_name text, date bigint NOT NULL,
    update_date bigint, delete_date text, title text, content text, reply_comment text, link text
)";

/// Indexes, created after loading. `by_date` serves the filters that no other index serves. `by_cell` serves every combination
/// with a state, and reads few entries if the combination is rare.
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
/// Smallest size of a chunk of the copy.
const COPY_CHUNK_BYTES: usize = 1 << 20;

/// Parameter of a statement.
type Value = Box<dyn ToSql + Sync + Send>;

/// Database with the reviews, on a server of its own.
pub(super) struct Postgres {
    client: Client,
    _server: PostgresServer,
}

/// Sizes of the table and of its indexes in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct PostgresSizes {
    pub(super) table: i64,
    pub(super) indexes: i64,
}

/// Prepared statements of a search, with their parameters.
pub(super) struct PreparedStatements {
    count: Statement,
    page: Statement,
    /// Page from the other end of the index. Its rows are in reverse order.
    reversed_page: Statement,
    values: Vec<Value>,
}

impl Postgres {
    /// Starts a server with an empty table.
    pub(super) async fn start() -> anyhow::Result<Self> {
        let server = PostgresServer::start()?;
        let mut config = tokio_postgres::Config::new();
        config.host_path(server.socket()).user("bench").dbname("postgres");
        let (client, connection) = config.connect(NoTls).await?;
        // If the connection breaks, the queries fail.
        tokio::spawn(connection);
        client.batch_execute(TABLE).await?;
        Ok(Self { client, _server: server })
    }

    /// Loads reviews.
    pub(super) async fn load(&self, reviews: &[Review]) -> anyhow::Result<()> {
        let mut sink = pin!(self.client.copy_in::<_, bytes::Bytes>(COPY).await?);
        let mut lines = String::with_capacity(2 * COPY_CHUNK_BYTES);
        for review in reviews {
            lines.push_str(&copy_line(review));
            if lines.len() >= COPY_CHUNK_BYTES {
                sink.send(std::mem::take(&mut lines).into()).await?;
            }
        }
        sink.send(lines.into()).await?;
        sink.finish().await?;
        Ok(())
    }

    /// Creates the indexes, and lets the planner use them alone.
    pub(super) async fn finish_loading(&self) -> anyhow::Result<()> {
        self.client.batch_execute(INDEXES).await?;
        // In a batch of its own: several statements run in one transaction, and VACUUM cannot.
        self.client.batch_execute("VACUUM (ANALYZE, FREEZE) reviews").await?;
        Ok(())
    }

    /// Returns the sizes of the table and of its indexes.
    pub(super) async fn sizes(&self) -> anyhow::Result<PostgresSizes> {
        let sizes = "SELECT pg_table_size('reviews'), pg_indexes_size('reviews')";
        let row = self.client.query_one(sizes, &[]).await?;
        Ok(PostgresSizes { table: row.get(0), indexes: row.get(1) })
    }

    /// Prepares the statements of a search.
    pub(super) async fn prepare(&self, org_id: OrgId, search: &Search) -> anyhow::Result<PreparedStatements> {
        let Condition { text: condition, values } = Condition::new(org_id, &search.filter)?;
        let range = search.page.range(search.match_count);
        let page = page_statement(&condition, "DESC", search.page.size, search.page.start());
        let reversed_page = page_statement(&condition, "ASC", range.end - range.start, search.match_count - range.end);
        Ok(PreparedStatements {
            count: self.client.prepare(&format!("SELECT count(*) FROM reviews WHERE {condition}")).await?,
            page: self.client.prepare(&page).await?,
            reversed_page: self.client.prepare(&reversed_page).await?,
            values,
        })
    }

    /// Searches with the statements of a backend. Count and page are sent together over one connection.
    pub(super) async fn search(&self, statements: &PreparedStatements, backend: Backend) -> anyhow::Result<Answer> {
        let (stopwatch, values) = (Stopwatch::start(), statements.values());
        let is_reversed = backend == Backend::PostgresReversed;
        let statement = if is_reversed { &statements.reversed_page } else { &statements.page };
        let page = self.client.query(statement, &values);
        let (count, mut rows) = if backend == Backend::PostgresPageOnly {
            (None, page.await?)
        } else {
            let (count, rows) = futures::try_join!(self.client.query_one(&statements.count, &values), page)?;
            (Some(u64::try_from(count.get::<_, i64>(0))?), rows)
        };
        if is_reversed {
            rows.reverse();
        }
        let ids = rows.iter().map(|row| row.get("id")).collect();
        Ok(Answer { count, ids, cost: Cost::default(), elapsed: stopwatch.elapsed(), cpu: Duration::ZERO })
    }
}

impl Postgres {
    /// Creates an index that holds every column of the statistics.
    pub(super) async fn prepare_statistics(&self) -> anyhow::Result<()> {
        let index = "CREATE INDEX by_org ON reviews (org_id, effective_at) \
                     INCLUDE (rating, state, partner, has_content, business_id, city_key)";
        self.client.batch_execute(index).await?;
        self.client.batch_execute("VACUUM ANALYZE reviews").await?;
        Ok(())
    }

    /// Counts by group and rating.
    pub(super) async fn statistics(&self, org_id: OrgId, case: &StatsCase) -> anyhow::Result<StatsAnswer> {
        let Condition { text, values } = Condition::new(org_id, &case.filter)?;
        let (column, shown) = group_columns(case.group_by);
        let statement = format!(
            "SELECT {shown}, rating, number FROM (SELECT {column} AS value, rating, count(*) AS number FROM reviews \
             WHERE {text} GROUP BY 1, 2) AS counted"
        );
        let statement = self.client.prepare(&statement).await?;
        let values: Vec<_> = values.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect();
        let stopwatch = Stopwatch::start();
        let rows = self.client.query(&statement, &values).await?;
        let elapsed = stopwatch.elapsed();
        let mut groups = Groups::new();
        for row in rows {
            let rating = usize::try_from(row.get::<_, i16>(1))? - 1;
            groups.entry(row.get(0)).or_default()[rating] = u64::try_from(row.get::<_, i64>(2))?;
        }
        Ok(StatsAnswer { groups, cost: Cost::default(), elapsed })
    }
}

/// Returns the column by which reviews are grouped, and its text as the API writes it.
fn group_columns(group_by: Option<GroupBy>) -> (&'static str, &'static str) {
    match group_by {
        None => ("''", "value"),
        // Days are cheaper to group by than dates, and become dates afterwards.
        Some(GroupBy::Day) => {
            ("effective_at / 86400", "to_char(to_timestamp(value * 86400) AT TIME ZONE 'UTC', 'YYYY-MM-DD')")
        }
        Some(GroupBy::Month) => {
            ("date_trunc('month', to_timestamp(effective_at) AT TIME ZONE 'UTC')", "to_char(value, 'YYYY-MM')")
        }
        Some(GroupBy::Year) => {
            ("date_trunc('year', to_timestamp(effective_at) AT TIME ZONE 'UTC')", "to_char(value, 'YYYY')")
        }
        Some(GroupBy::Business) => ("business_id", "value"),
        Some(GroupBy::City) => ("city_key", "value"),
        Some(GroupBy::Rating) => ("rating", "value::text"),
        Some(GroupBy::Partner) => ("partner", "(ARRAY['partner_8','partner_1','partner_9'])[value + 1]"),
        Some(GroupBy::State) => ("state", "(ARRAY['treated','not_treated','deleted'])[value + 1]"),
    }
}

impl PreparedStatements {
    fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.values.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect()
    }
}

/// Returns the statement that reads a page: its ids from an index alone, then its rows from the table.
fn page_statement(condition: &str, order: &str, limit: u64, offset: u64) -> String {
    format!(
        "SELECT r.* FROM (SELECT id FROM reviews WHERE {condition} ORDER BY effective_at {order}, id {order} \
         LIMIT {limit} OFFSET {offset}) page JOIN reviews r USING (id) \
         ORDER BY r.effective_at {order}, r.id {order}"
    )
}

/// Condition of a filter in SQL, with the values of its parameters.
struct Condition {
    text: String,
    values: Vec<Value>,
}

impl Condition {
    fn new(org_id: OrgId, filter: &Filter) -> anyhow::Result<Self> {
        let mut condition =
            Self { text: "org_id = $1".to_owned(), values: vec![Box::new(i64::try_from(org_id.get())?)] };
        if let Some(state) = filter.state {
            condition.and("state =", Box::new(state as i16));
        }
        if let Some(rating) = filter.rating {
            condition.and("rating =", Box::new(i16::from(rating.get())));
        }
        if let Some(partner) = filter.partner {
            condition.and("partner =", Box::new(partner as i16));
        }
        if let Some(has_content) = filter.has_content {
            condition.and("has_content =", Box::new(has_content));
        }
        if let Some(city) = &filter.city_key {
            condition.and("city_key =", Box::new(city.clone()));
        }
        match filter.businesses.as_slice() {
            [] => {}
            // For one value the index by business has the order of the page; with ANY the rows must be sorted.
            [business] => condition.and("business_id =", Box::new(business.as_str().to_owned())),
            businesses => {
                let ids: Vec<String> = businesses.iter().map(|id| id.as_str().to_owned()).collect();
                condition.and("business_id = ANY", Box::new(ids));
            }
        }
        if let Some((from, to)) = filter.date_range {
            condition.and("effective_at >=", Box::new(from));
            condition.and("effective_at <=", Box::new(to));
        }
        Ok(condition)
    }

    /// Adds a comparison with the next parameter.
    fn and(&mut self, comparison: &str, value: Value) {
        self.values.push(value);
        let _ = write!(self.text, " AND {comparison} (${})", self.values.len());
    }
}

/// Returns the line of a review in the format of COPY. Its columns have the order of the table.
fn copy_line(review: &Review) -> String {
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
    let columns = columns.map(|column| column.map_or_else(|| "\\N".to_owned(), |text| escape(&text)));
    format!("{}\n", columns.join("\t"))
}

/// Escapes the characters that have a meaning in the format of COPY.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => escaped.push_str("\\\\"),
            '\t' => escaped.push_str("\\t"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            other => escaped.push(other),
        }
    }
    escaped
}

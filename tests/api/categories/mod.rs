//! Routes of categories: get, search, access, and imports while functions run.

mod case;
mod get_and_search;
mod interrupted_imports;
mod warm_functions;

use presence_domain::category::{Category, CategoryRow};
use presence_store::Stores;
use presence_tests::TestStack;

/// Rows of eight categories in five languages. Most of them lack some languages.
pub(crate) const DIRECTORY: &str = r#"
{"id":"c-bakery","code":"shop_bakery","names":{"GB":"Bakery","FR":"Boulangerie","DE":"Bäckerei","JP":"パン屋"},"ancestors":{"GB":["Shop"],"FR":["Commerce"]},"partners":{"partner_1":["gcid:bakery"],"partner_4":[{"id":"a1","name":"Bakery"}],"partner_9":["x","y"]}}
{"id":"c-bank","code":"bank","names":{"GB":"Bank","FR":"Banque","DE":"Bank"},"ancestors":{"GB":["Finance","Money"]},"partners":{}}
{"id":"c-school","code":"school","names":{"GB":"School","FR":"École","DE":"Schule","PT":"Escola"}}
{"id":"c-ice","code":"ice_rink","names":{"GB":"Ice rink","FR":"Patinoire"}}
{"id":"c-kita","code":"kita","names":{"DE":"Kita"},"ancestors":{"DE":["Bildung"]}}
{"id":"c-cafe-2","code":"cafe_2","names":{"GB":"Café"}}
{"id":"c-cafe-1","code":"cafe_1","names":{"GB":"CAFE"}}
{"id":"gcid:zoo_1.b-2","code":"zoo","names":{"GB":"Zoo & Park 100%","FR":"Zoo"}}
"#;

/// Parses rows of JSON into categories.
pub(crate) fn parse(rows: &str) -> Vec<Category> {
    let rows = rows.lines().filter(|row| !row.is_empty());
    rows.map(|row| serde_json::from_str::<CategoryRow>(row).expect("a row").read().expect("a category")).collect()
}

/// Returns so many categories, named by the word and their number.
pub(crate) fn numbered(count: usize, word: &str) -> Vec<Category> {
    (0..count)
        .map(|n| format!(r#"{{"id":"n{n:04}","code":"code_{n}","names":{{"GB":"{word} {}","FR":"Mot {n}"}}}}"#, n % 7))
        .flat_map(|row| parse(&row))
        .collect()
}

/// Imports categories without the operator's tool.
pub(crate) async fn load(store: &Stores, categories: Vec<Category>) {
    let mut import = store.categories.begin_import(false).await.expect("DynamoDB answers");
    for category in categories {
        import.put(category).await.expect("no other import is under way").expect("there is room");
    }
    import.publish().await.expect("no other import is under way");
}

/// Returns the ids on all pages of a search, in order.
pub(crate) async fn list_all_pages(stack: &TestStack, key: &str, query: &str) -> Vec<String> {
    let mut ids = Vec::new();
    for page in 1.. {
        let reply = stack.get(&format!("/category/search?{query}&page={page}"), key).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        let found = reply.json();
        let categories = found["categories"].as_array().expect("a list").iter();
        ids.extend(categories.map(|category| category["id"].as_str().expect("an id").to_owned()));
        if found["max_page"] == page {
            assert_eq!(found["count"], ids.len(), "the count is the number of all ids");
            break;
        }
    }
    ids
}

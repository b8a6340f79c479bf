//! Pages of a search: numbers, sizes and bounds.

use presence_domain::user::Status::Active;

use super::store_users;
use crate::api::users::fixture::{Case, CaseRunner, get};

/// Names of the users, in order. With the reader they make two full pages of 30 and one user more.
const NAMES: &str = "n10 n11 n12 n13 n14 n15 n16 n17 n18 n19 n20 n21 n22 n23 n24 n25 n26 n27 n28 n29 n30 n31 n32 n33 n34 n35 n36 n37 n38 n39 \
    n40 n41 n42 n43 n44 n45 n46 n47 n48 n49 n50 n51 n52 n53 n54 n55 n56 n57 n58 n59 n60 n61 n62 n63 n64 n65 n66 n67 n68 n69";

/// Stores the crowd in organisation 7.
pub(super) async fn store_crowd(runner: &mut CaseRunner) {
    let crowd: Vec<_> = NAMES.split(' ').map(|name| (name, "Crowd", name, name, Active, Some(7))).collect();
    store_users(runner, &crowd, 5_000).await;
}

pub(super) fn cases() -> Vec<Case> {
    [pages(), sizes()].concat()
}

/// Returns the names of the users from a position up to another one.
fn slice(from: usize, to: usize) -> Vec<String> {
    NAMES.split(' ').chain(["reader"]).skip(from).take(to - from).map(str::to_owned).collect()
}

fn page(reason: &'static str, parameters: &str) -> Case {
    get(reason, &format!("/user/search?{parameters}")).by("reader")
}

fn first_page(reason: &'static str, number: &str) -> Case {
    page(reason, &format!("page={number}")).page(1, 3, 61, slice(0, 30))
}

fn page_of_size(reason: &'static str, size: &str) -> Case {
    page(reason, &format!("per_page={size}"))
}

fn pages() -> Vec<Case> {
    vec![
        page("30 unless asked otherwise, from the first page", "").page(1, 3, 61, slice(0, 30)),
        first_page("the first page", "1"),
        page("the second page", "page=2").page(2, 3, 61, slice(30, 60)),
        page("the last page, not full", "page=3").page(3, 3, 61, slice(60, 61)),
        page("past the end: empty, with the page as asked", "page=4").page(4, 3, 61, Vec::new()),
        page("far past the end", "page=1000000").page(1_000_000, 3, 61, Vec::new()),
        page("the largest page", "page=9007199254740991").page(9_007_199_254_740_991, 3, 61, Vec::new()),
        first_page("0 counts as 1, and is echoed as 1", "0"),
        first_page("-1 counts as 1", "-1"),
        first_page("far below 1", "-9007199254740993"),
        first_page("below every integer", &format!("-{}", "9".repeat(60))),
        first_page("-0 counts as 1", "-0"),
        first_page("blank is not given", ""),
        first_page("with blanks around", "%201%20"),
        first_page("with leading zeros", "001"),
        page("an empty list has one page", "last_name=nobody").page(1, 1, 0, Vec::new()),
        page("a page past the end of an empty list", "last_name=nobody&page=2").page(2, 1, 0, Vec::new()),
        page("pages of a filter", "last_name=n1&per_page=4&page=3").page(3, 3, 10, slice(8, 10)),
        page("pages of a query", "query=crowd&page=2").page(2, 2, 60, slice(30, 60)),
        page("pages of a status", "status=active&page=3").page(3, 3, 61, slice(60, 61)),
        page("a full last page", "query=crowd&per_page=20&page=3").page(3, 3, 60, slice(40, 60)),
        page("past a full last page", "query=crowd&per_page=20&page=4").page(4, 3, 60, Vec::new()),
        page("a page over organisations", "per_page=2&page=6").by("provider").page(6, 36, 71, slice(0, 2)),
    ]
}

fn sizes() -> Vec<Case> {
    vec![
        page_of_size("1 on a page", "1").page(1, 61, 61, slice(0, 1)),
        page_of_size("30, as by default", "30").page(1, 3, 61, slice(0, 30)),
        page_of_size("one less than there are", "60").page(1, 2, 61, slice(0, 60)),
        page_of_size("as many as there are", "61").page(1, 1, 61, slice(0, 61)),
        page_of_size("100, the most", "100").page(1, 1, 61, slice(0, 61)),
        page_of_size("1 on the last page", "1&page=61").page(61, 61, 61, slice(60, 61)),
        page_of_size("without business_ids", "1&display_business_ids=0").page(1, 61, 61, slice(0, 1)),
        page_of_size("the largest page of the largest size", "100&page=9007199254740991").page(
            9_007_199_254_740_991,
            1,
            61,
            Vec::new(),
        ),
    ]
}

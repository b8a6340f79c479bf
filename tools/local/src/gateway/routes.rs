//! Which route of an HTTP API a request takes.

use std::collections::HashMap;

use anyhow::{Context, bail, ensure};
use http::Method;

use super::event::percent_decoded;

/// The routes of an API, those that AWS prefers first.
#[derive(Debug)]
pub struct RouteTable {
    routes: Vec<Route>,
}

/// The route that a request takes.
#[derive(Debug, PartialEq, Eq)]
pub struct RouteMatch<'table> {
    /// As it was given, such as `GET /api/v2/user/{user_id}`.
    pub key: &'table str,
    /// The function's index, as it was given.
    pub function: usize,
    /// Decoded, by name.
    pub path_parameters: HashMap<String, String>,
}

#[derive(Debug)]
struct Route {
    key: String,
    pattern: Vec<Segment>,
    verb: Verb,
    function: usize,
}

/// In the order of preference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Segment {
    Static(String),
    Parameter(String),
    Greedy(String),
}

/// In the order of preference.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verb {
    Only(Method),
    Any,
}

/// The key of the route that takes what no other does.
const DEFAULT_ROUTE: &str = "$default";

impl RouteTable {
    /// Reads route keys, each with the index of its function.
    ///
    /// # Errors
    /// A key is not `METHOD /path`, or two keys mean the same requests.
    pub fn new(routes: impl IntoIterator<Item = (String, usize)>) -> anyhow::Result<Self> {
        let mut table: Vec<Route> = Vec::new();
        for (key, function) in routes {
            let route = Route::parse(&key, function).with_context(|| format!("cannot read the route `{key}`"))?;
            if let Some(same) = table.iter().find(|other| other.rank() == route.rank() && other.verb == route.verb) {
                bail!("the routes `{}` and `{key}` mean the same requests", same.key);
            }
            table.push(route);
        }
        table.sort_by_key(Route::rank);
        Ok(Self { routes: table })
    }

    /// The route for a method and a path as it was sent, percent-encoded. `None` is the gateway's 404; a target that
    /// is no path, such as the `*` of OPTIONS, never has one.
    pub fn find(&self, method: &Method, path: &[u8]) -> Option<RouteMatch<'_>> {
        let segments: Vec<&[u8]> = segments_of(path)?;
        self.routes.iter().find_map(|route| {
            let path_parameters = route.matches(method, &segments)?;
            Some(RouteMatch { key: &route.key, function: route.function, path_parameters })
        })
    }
}

impl Route {
    fn parse(key: &str, function: usize) -> anyhow::Result<Self> {
        if key == DEFAULT_ROUTE {
            let pattern = vec![Segment::Greedy(String::new())];
            return Ok(Self { key: key.to_owned(), pattern, verb: Verb::Any, function });
        }
        let (verb, path) = key.split_once(' ').context("a route is a method, a blank and a path")?;
        let verb = match verb {
            "ANY" => Verb::Any,
            verb => Verb::Only(verb.parse().context("not a method")?),
        };
        let parts = segments_of(path.as_bytes()).context("a path begins with a slash")?;
        let last = parts.len() - 1;
        let mut pattern = Vec::with_capacity(parts.len());
        for (position, part) in path.split('/').skip(1).enumerate() {
            let segment = Segment::parse(part)?;
            let is_greedy = matches!(segment, Segment::Greedy(_));
            ensure!(!is_greedy || position == last, "`{part}` takes the rest of the path, so it comes last");
            pattern.push(segment);
        }
        Ok(Self { key: key.to_owned(), pattern, verb, function })
    }

    /// The names of parameters do not matter for the choice; the method matters least.
    fn rank(&self) -> (bool, Vec<Segment>, bool) {
        let nameless = self.pattern.iter().map(|segment| match segment {
            Segment::Static(text) => Segment::Static(text.clone()),
            Segment::Parameter(_) => Segment::Parameter(String::new()),
            Segment::Greedy(_) => Segment::Greedy(String::new()),
        });
        (self.key == DEFAULT_ROUTE, nameless.collect(), self.verb == Verb::Any)
    }

    fn matches(&self, method: &Method, segments: &[&[u8]]) -> Option<HashMap<String, String>> {
        if self.key == DEFAULT_ROUTE {
            return Some(HashMap::new());
        }
        if matches!(&self.verb, Verb::Only(only) if only != method) {
            return None;
        }
        let mut parameters = HashMap::new();
        for (position, segment) in self.pattern.iter().enumerate() {
            let here = *segments.get(position)?;
            match segment {
                Segment::Static(text) if text.as_bytes() == here => {}
                Segment::Parameter(name) if !here.is_empty() => {
                    parameters.insert(name.clone(), percent_decoded(here));
                }
                Segment::Greedy(name) if !here.is_empty() => {
                    parameters.insert(name.clone(), percent_decoded(&segments[position..].join(&b'/')));
                    return Some(parameters);
                }
                _ => return None,
            }
        }
        (segments.len() == self.pattern.len()).then_some(parameters)
    }
}

impl Segment {
    fn parse(text: &str) -> anyhow::Result<Self> {
        let Some(inner) = text.strip_prefix('{') else {
            ensure!(!text.contains(['{', '}']), "`{text}` mixes a parameter with other text");
            return Ok(Self::Static(text.to_owned()));
        };
        let name = inner.strip_suffix('}').with_context(|| format!("`{text}` is not closed"))?;
        let (name, is_greedy) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "._:-".contains(c));
        ensure!(is_name, "`{text}` has no valid name");
        Ok(if is_greedy { Self::Greedy(name.to_owned()) } else { Self::Parameter(name.to_owned()) })
    }
}

/// What follows each slash; `None` without a slash at the beginning.
fn segments_of(path: &[u8]) -> Option<Vec<&[u8]>> {
    let rest = path.strip_prefix(b"/")?;
    Some(rest.split(|byte| *byte == b'/').collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 9] = [
        "ANY /api/v2/user/{proxy+}",
        "ANY /api/v2/user",
        "GET /api/v2/user/{user_id}",
        "GET /api/v2/user/{user_id}/note/{note_id}",
        "POST /api/v2/user",
        "GET /api/v2/user/me",
        "ANY /api/v2/user/{user_id}/key",
        "POST /api/v2/user/{id}/key",
        "ANY /{proxy+}",
    ];

    fn table(keys: &[&str]) -> anyhow::Result<RouteTable> {
        RouteTable::new(keys.iter().enumerate().map(|(index, key)| ((*key).to_owned(), index)))
    }

    fn parameters(pairs: &[(&str, &str)]) -> HashMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn the_most_exact_route_wins_and_a_method_wins_over_any() {
        let table = table(&KEYS).expect("keys are valid");
        for (method, path, key, expected) in [
            (Method::GET, "/api/v2/user/me", "GET /api/v2/user/me", &[][..]),
            (Method::GET, "/api/v2/user/7", "GET /api/v2/user/{user_id}", &[("user_id", "7")][..]),
            (Method::DELETE, "/api/v2/user/me", "ANY /api/v2/user/{proxy+}", &[("proxy", "me")]),
            (Method::POST, "/api/v2/user", "POST /api/v2/user", &[]),
            (Method::PUT, "/api/v2/user", "ANY /api/v2/user", &[]),
            (Method::POST, "/api/v2/user/7/key", "POST /api/v2/user/{id}/key", &[("id", "7")]),
            (Method::GET, "/api/v2/user/7/key", "ANY /api/v2/user/{user_id}/key", &[("user_id", "7")]),
            (Method::GET, "/api/v2/user/7/x/y", "ANY /api/v2/user/{proxy+}", &[("proxy", "7/x/y")]),
            (Method::GET, "/api/v2/user/7/", "ANY /api/v2/user/{proxy+}", &[("proxy", "7/")]),
            (Method::GET, "/elsewhere", "ANY /{proxy+}", &[("proxy", "elsewhere")]),
        ] {
            let found = table.find(&method, path.as_bytes()).expect(path);
            assert_eq!(found.key, key, "{method} {path}");
            assert_eq!(found.path_parameters, parameters(expected), "{method} {path}");
            assert_eq!(KEYS[found.function], key);
        }
    }

    #[test]
    fn encoded_segments_are_matched_before_they_are_decoded() {
        let table = table(&KEYS).expect("keys are valid");
        let found = table.find(&Method::GET, b"/api/v2/user/a%2Fb%20c/note/%C3%A9%zz").expect("a route");
        assert_eq!(found.path_parameters, parameters(&[("user_id", "a/b c"), ("note_id", "é%zz")]));
        let found = table.find(&Method::GET, b"/api/v2/us%65r/7").expect("a route");
        assert_eq!(found.key, "ANY /{proxy+}");
    }

    #[test]
    fn a_request_without_a_route_is_not_found() {
        let table = table(&KEYS[..5]).expect("keys are valid");
        for path in ["/", "", "*", "//", "/api/v2/user/", "/api/v2", "/API/v2/user", "api/v2/user"] {
            assert_eq!(table.find(&Method::GET, path.as_bytes()), None, "{path}");
        }
    }

    #[test]
    fn the_default_route_takes_the_rest() {
        let table = table(&["$default", "GET /{proxy+}"]).expect("keys are valid");
        assert_eq!(table.find(&Method::GET, b"/x").expect("a route").key, "GET /{proxy+}");
        assert_eq!(table.find(&Method::POST, b"/").expect("a route").key, "$default");
    }

    #[test]
    fn keys_that_aws_would_refuse_are_refused() {
        for keys in [
            &["GET"][..],
            &["GET user"],
            &["G(T /user"],
            &["GET /user/{id"],
            &["GET /user/{}"],
            &["GET /user/x{id}"],
            &["GET /{proxy+}/x"],
            &["GET /user/{id}", "GET /user/{user_id}"],
            &["$default", "$default"],
        ] {
            assert!(table(keys).is_err(), "{keys:?}");
        }
    }
}

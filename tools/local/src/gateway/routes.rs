//! Route table: selects the route of a request as an HTTP API does.
//!
//! Rules: <https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html>.

use std::collections::HashMap;

use anyhow::{Context, bail, ensure};
use http::Method;

use super::event::percent_decoded;

/// Routes of an API, in the order in which AWS prefers them. `Function` is the target of a route.
#[derive(Debug)]
pub struct RouteTable<Function> {
    routes: Vec<Route<Function>>,
}

/// Route of a request.
#[derive(Debug, PartialEq, Eq)]
pub struct RouteMatch<'table, Function> {
    /// Route key, such as `GET /api/v2/user/{user_id}`.
    pub key: &'table str,
    /// Target of the route.
    pub function: &'table Function,
    /// Decoded path parameters, by name.
    pub path_parameters: HashMap<String, String>,
}

#[derive(Debug)]
struct Route<Function> {
    key: String,
    pattern: RoutePattern,
    function: Function,
}

/// Requests that a route matches.
#[derive(Debug)]
enum RoutePattern {
    /// `$default`: every request that no other route matches.
    Default,
    /// `METHOD /path`.
    Path { method: MethodPattern, segments: Vec<Segment> },
}

/// Method of a route. AWS prefers a certain method to `ANY`.
#[derive(Clone, Debug, PartialEq, Eq)]
enum MethodPattern {
    Only(Method),
    Any,
}

/// Segment of a route's path. The variants are in the order in which AWS prefers them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Segment {
    Static(String),
    Parameter(String),
    Greedy(String),
}

/// Key of the route for requests that no other route matches.
const DEFAULT_ROUTE: &str = "$default";

impl<Function> RouteTable<Function> {
    /// Parses route keys, each with its target.
    ///
    /// # Errors
    /// Returns an error if a key is not `METHOD /path`, or if two keys match the same requests.
    pub fn new(routes: impl IntoIterator<Item = (String, Function)>) -> anyhow::Result<Self> {
        let mut table: Vec<Route<Function>> = Vec::new();
        for (key, function) in routes {
            let pattern = RoutePattern::parse(&key).with_context(|| format!("cannot read the route `{key}`"))?;
            if let Some(same) = table.iter().find(|other| other.pattern.matches_same_requests(&pattern)) {
                bail!("the routes `{}` and `{key}` mean the same requests", same.key);
            }
            table.push(Route { key, pattern, function });
        }
        table.sort_by_key(|route| route.pattern.preference());
        Ok(Self { routes: table })
    }

    /// Finds the route of a request. `path` is percent-encoded, as the client sent it.
    ///
    /// Returns `None` if no route matches, which the gateway answers with 404. A target that is not a path, such as the `*`
    /// of `OPTIONS`, has no route.
    pub fn find(&self, method: &Method, path: &[u8]) -> Option<RouteMatch<'_, Function>> {
        let segments: Vec<&[u8]> = split_path(path)?;
        self.routes.iter().find_map(|route| {
            let path_parameters = route.pattern.matches(method, &segments)?;
            Some(RouteMatch { key: &route.key, function: &route.function, path_parameters })
        })
    }
}

impl RoutePattern {
    fn parse(key: &str) -> anyhow::Result<Self> {
        if key == DEFAULT_ROUTE {
            return Ok(Self::Default);
        }
        let (method, path) = key.split_once(' ').context("a route is a method, a blank and a path")?;
        let method = match method {
            "ANY" => MethodPattern::Any,
            name => MethodPattern::Only(name.parse().context("not a method")?),
        };
        let path = path.strip_prefix('/').context("a path begins with a slash")?;
        let segments = path.split('/').map(Segment::parse).collect::<anyhow::Result<Vec<_>>>()?;
        if let Some((_, all_but_last)) = segments.split_last()
            && let Some(Segment::Greedy(name)) =
                all_but_last.iter().find(|segment| matches!(segment, Segment::Greedy(_)))
        {
            bail!("`{{{name}+}}` takes the rest of the path, so it comes last");
        }
        Ok(Self::Path { method, segments })
    }

    /// True if each request that matches one pattern matches the other. Names of parameters make no difference.
    fn matches_same_requests(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Default, Self::Default) => true,
            (Self::Path { method, .. }, Self::Path { method: other_method, .. }) => {
                method == other_method && self.preference() == other.preference()
            }
            _ => false,
        }
    }

    /// Returns a sort key: preferred patterns come first. The segments decide, then the method.
    fn preference(&self) -> (bool, Vec<Segment>, bool) {
        let Self::Path { method, segments } = self else { return (true, Vec::new(), true) };
        let nameless = segments.iter().map(|segment| match segment {
            Segment::Static(text) => Segment::Static(text.clone()),
            Segment::Parameter(_) => Segment::Parameter(String::new()),
            Segment::Greedy(_) => Segment::Greedy(String::new()),
        });
        (false, nameless.collect(), *method == MethodPattern::Any)
    }

    /// Returns the path parameters if the pattern matches. Segments are compared before they are decoded, as AWS does.
    fn matches(&self, method: &Method, path: &[&[u8]]) -> Option<HashMap<String, String>> {
        let Self::Path { method: method_pattern, segments } = self else { return Some(HashMap::new()) };
        if matches!(method_pattern, MethodPattern::Only(only) if only != method) {
            return None;
        }
        let mut parameters = HashMap::new();
        for (position, segment) in segments.iter().enumerate() {
            let sent = *path.get(position)?;
            match segment {
                Segment::Static(text) if text.as_bytes() == sent => {}
                Segment::Parameter(name) if !sent.is_empty() => {
                    parameters.insert(name.clone(), percent_decoded(sent));
                }
                Segment::Greedy(name) if !sent.is_empty() => {
                    parameters.insert(name.clone(), percent_decoded(&path[position..].join(&b'/')));
                    return Some(parameters);
                }
                _ => return None,
            }
        }
        (path.len() == segments.len()).then_some(parameters)
    }
}

impl Segment {
    fn parse(text: &str) -> anyhow::Result<Self> {
        let Some(inner) = text.strip_prefix('{') else {
            ensure!(!text.contains(['{', '}']), "`{text}` mixes a parameter with other text");
            return Ok(Self::Static(text.to_owned()));
        };
        let inner = inner.strip_suffix('}').with_context(|| format!("`{text}` is not closed"))?;
        let (name, is_greedy) = inner.strip_suffix('+').map_or((inner, false), |name| (name, true));
        let is_valid = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "._:-".contains(c));
        ensure!(is_valid, "`{text}` has no valid name");
        Ok(if is_greedy { Self::Greedy(name.to_owned()) } else { Self::Parameter(name.to_owned()) })
    }
}

/// Splits a path at its slashes. Returns `None` if it does not begin with one.
fn split_path(path: &[u8]) -> Option<Vec<&[u8]>> {
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

    fn table(keys: &[&'static str]) -> anyhow::Result<RouteTable<&'static str>> {
        RouteTable::new(keys.iter().map(|key| ((*key).to_owned(), *key)))
    }

    fn parameters(pairs: &[(&str, &str)]) -> HashMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn most_specific_route_wins_and_a_method_wins_over_any() {
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
            assert_eq!(*found.function, key);
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
    fn request_without_a_route_is_not_found() {
        let table = table(&KEYS[..5]).expect("keys are valid");
        for path in ["/", "", "*", "//", "/api/v2/user/", "/api/v2", "/API/v2/user", "api/v2/user"] {
            assert_eq!(table.find(&Method::GET, path.as_bytes()), None, "{path}");
        }
    }

    #[test]
    fn default_route_matches_all_other_requests() {
        let table = table(&["$default", "GET /{proxy+}"]).expect("keys are valid");
        assert_eq!(table.find(&Method::GET, b"/x").expect("a route").key, "GET /{proxy+}");
        assert_eq!(table.find(&Method::POST, b"/").expect("a route").key, "$default");
    }

    #[test]
    fn route_keys_that_aws_would_refuse_are_refused() {
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

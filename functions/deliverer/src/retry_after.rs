//! Header `Retry-After`: seconds, or a date.

use http::HeaderMap;
use http::header::RETRY_AFTER;
use jiff::fmt::rfc2822;
use jiff::{SignedDuration, Timestamp};

/// Returns the pause that an answer asks for; `None` without the header, or if it has neither form.
pub(crate) fn read(headers: &HeaderMap, now: Timestamp) -> Option<SignedDuration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<u32>() {
        return Some(SignedDuration::from_secs(seconds.into()));
    }
    let at = rfc2822::parse(text).ok()?.timestamp();
    Some(at.duration_since(now)).filter(SignedDuration::is_positive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let now = Timestamp::from_second(784_111_777).expect("an instant"); // Sun, 06 Nov 1994 08:49:37 GMT
        for (text, seconds) in [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", Some(60)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", None),
            ("-1", None),
            ("soon", None),
            ("99999999999", None),
        ] {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, text.parse().expect("a value"))]);
            assert_eq!(read(&headers, now).map(|pause| pause.as_secs()), seconds, "{text}");
        }
        assert_eq!(read(&HeaderMap::new(), now), None);
    }
}

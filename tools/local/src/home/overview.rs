//! Overview of a running stack: what runs where, and with which settings.

use std::fmt::Write as _;

use presence_store::schema::TABLES;

/// Facts about a stack that the start page shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overview {
    /// Endpoint of DynamoDB.
    pub(crate) dynamodb_url: String,
    /// Prefix of the tables.
    pub(crate) table_prefix: String,
    /// Place of the data, in words.
    pub(crate) data: String,
    /// Settings of the limits of AWS; `None` if they are off.
    pub(crate) aws_limits: Option<String>,
    /// Requests a minute for each key; `None` if there is no limit.
    pub(crate) rate_limit: Option<u32>,
    /// Folder of the inbox; `None` if none is watched.
    pub(crate) inbox: Option<String>,
    /// True if the mailer runs in this process.
    pub(crate) mailer: bool,
    /// Commands that make the first key. There are none if the stack has demo keys.
    pub(crate) first_key: Vec<String>,
}

impl Overview {
    /// Returns the state of the stack as HTML: the address of the API and the place of the data. `origin` is the address of the gateway.
    pub(super) fn state_html(&self, origin: &str) -> String {
        let base = escaped(&format!("{origin}/api/v2"));
        format!(
            "<span><strong class=\"ok\">Runs</strong> at <code id=\"base-url\">{base}</code></span>\n<span>Data {}</span>\n",
            escaped(&self.data)
        )
    }

    /// Returns the rows of the settings as HTML: terms and descriptions.
    pub(super) fn html(&self) -> String {
        let mail = if self.mailer {
            "every mail lands in the <a href=\"/mailbox\">mailbox</a>, and none leaves this machine".to_owned()
        } else {
            "no mailer runs here (<code>--no-mailer</code>): mails wait in the outbox".to_owned()
        };
        let rate = self.rate_limit.map_or_else(
            || "off (<code>--rate-limit N</code>)".to_owned(),
            |number| format!("{number} requests a minute for each key"),
        );
        let limits = self.aws_limits.as_ref().map_or_else(
            || "off (<code>--aws-limits</code>)".to_owned(),
            |settings| format!("on, <code>--aws-limits={}</code>", escaped(settings)),
        );
        let inbox = self.inbox.as_ref().map_or_else(
            || "no folder is watched (<code>--inbox DIR</code>)".to_owned(),
            |folder| format!("files of reviews from <code>{}/inbox</code>", escaped(folder)),
        );
        let rows = [
            ("DynamoDB", format!("<code>{}</code>", escaped(&self.dynamodb_url))),
            ("Tables", format!("{}, named <code>{}…</code>", TABLES.len(), escaped(&self.table_prefix))),
            ("Mail", mail),
            ("Limit of keys", rate),
            ("Limits of AWS", limits),
            ("Inbox", inbox),
        ];
        rows.iter().fold(String::new(), |mut html, (term, text)| {
            let _ = writeln!(html, "<div><dt>{term}</dt><dd>{text}</dd></div>");
            html
        })
    }

    /// Returns the commands that make the first key, as HTML; nothing if there are demo keys.
    pub(super) fn first_key_html(&self) -> String {
        if self.first_key.is_empty() {
            return String::new();
        }
        format!(
            "<p>There are no keys yet. These commands make the first user and its key:</p>\n\
            <pre id=\"first-key\" tabindex=\"0\">{}</pre>\n",
            escaped(&self.first_key.join("\n"))
        )
    }
}

/// Returns text with the characters escaped that HTML gives a meaning.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overview_has_the_settings_of_the_stack_and_escapes_them() {
        let overview = Overview {
            dynamodb_url: "http://127.0.0.1:8000".to_owned(),
            data: "in <x> & \"y\"".to_owned(),
            rate_limit: Some(60),
            first_key: vec!["one \"$ID\"".to_owned(), "two".to_owned()],
            ..Overview::default()
        };
        let html = overview.state_html("http://localhost:3000") + &overview.html();
        for part in [
            "<code id=\"base-url\">http://localhost:3000/api/v2</code>",
            "in &lt;x&gt; &amp; &quot;y&quot;",
            "60 requests a minute",
            "off (<code>--aws-limits</code>)",
            "--no-mailer",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert!(overview.first_key_html().contains(">one &quot;$ID&quot;\ntwo</pre>"));
        assert_eq!(Overview { first_key: Vec::new(), ..overview }.first_key_html(), "");
    }
}

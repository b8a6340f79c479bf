//! The alarm on the outbox: its definition in the template, evaluated as `CloudWatch` documents it, on what the mailer measures
//! in health, in an outage of SES and when the sweep stops.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use presence_local::SesMode;
use presence_mailer::handle;
use presence_tests::logs::with_metrics;
use presence_tests::{Fixtures, TestStack, address};
use rstest::rstest;
use serde_json::json;

use super::template::{Resource, TEMPLATE};

/// Periods beyond its own that an alarm looks at for data: `CloudWatch`'s documentation shows five for an alarm on three.
const FURTHER_PERIODS: usize = 2;
/// Seconds between two sweeps.
const SWEEP_SECONDS: i64 = 60;

/// The ways in which `CloudWatch` treats missing data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Missing {
    Breaching,
    NotBreaching,
}

/// An alarm on one metric.
#[derive(Clone, Copy, Debug)]
struct Alarm {
    period: i64,
    threshold: f64,
    evaluation_periods: usize,
    enough_breaching: usize,
    missing: Missing,
}

impl Alarm {
    /// Reads the alarm from the template.
    fn of(resource: Resource<'_>) -> Self {
        let number = |name: &str| resource.property(name).as_i64().unwrap_or_else(|| panic!("a number {name}"));
        let count = |name: &str| usize::try_from(number(name)).expect("a small number");
        assert_eq!(resource.property("Statistic"), "Maximum");
        assert_eq!(resource.property("ComparisonOperator"), "GreaterThanThreshold");
        Self {
            period: number("Period"),
            threshold: resource.property("Threshold").as_f64().expect("a threshold"),
            evaluation_periods: count("EvaluationPeriods"),
            enough_breaching: count("DatapointsToAlarm"),
            missing: match resource.property("TreatMissingData").as_str() {
                Some("breaching") => Missing::Breaching,
                Some("notBreaching") => Missing::NotBreaching,
                other => panic!("{other:?}"),
            },
        }
    }

    /// True if `CloudWatch` raises the alarm on these periods, the oldest first.
    ///
    /// The real data in the range all count, the most recent first. Only if there are fewer of them than the alarm evaluates are
    /// as many missing ones taken for what the alarm says.
    fn is_raised(self, range: &[Option<bool>]) -> bool {
        let real: Vec<bool> = range.iter().rev().flatten().copied().take(self.evaluation_periods).collect();
        let filled = self.evaluation_periods - real.len();
        let filled = if self.missing == Missing::Breaching { filled } else { 0 };
        real.iter().filter(|is_breaching| **is_breaching).count() + filled >= self.enough_breaching
    }

    /// True if the alarm is raised when the period that begins at this second has ended.
    fn is_raised_after(self, period: i64, measured: &BTreeMap<i64, f64>) -> bool {
        let periods = i64::try_from(self.evaluation_periods + FURTHER_PERIODS).expect("a small number");
        let range: Vec<_> = (0..periods)
            .rev()
            .map(|back| period - back * self.period)
            .map(|begin| {
                let values = measured.range(begin..begin + self.period).map(|(_, value)| *value);
                values.reduce(f64::max).map(|most| most > self.threshold)
            })
            .collect();
        self.is_raised(&range)
    }
}

/// `CloudWatch`'s own examples: data of five periods, the oldest first (`0` within the threshold, `X` beyond it, `-` missing), and
/// whether an alarm on three of them is raised if missing data are breaching, and if they are not.
#[rstest]
#[case::three_of_three(3, &[("0-X-X", false, false), ("----0", false, false), ("-----", true, false), ("0XX-X", true, true), ("--X--", true, false)])]
#[case::two_of_three(2, &[("0-X-X", true, true), ("00X0X", true, true), ("0-X--", true, false), ("----0", true, false), ("---X-", true, false)])]
fn the_evaluation_does_what_the_documentation_shows(
    #[case] enough_breaching: usize,
    #[case] examples: &[(&str, bool, bool)],
) {
    for (data, breaching, not_breaching) in examples {
        let range: Vec<_> = data.chars().map(|one| (one != '-').then_some(one == 'X')).collect();
        for (missing, expected) in [(Missing::Breaching, breaching), (Missing::NotBreaching, not_breaching)] {
            let alarm = Alarm { period: 60, threshold: 0.0, evaluation_periods: 3, enough_breaching, missing };
            assert_eq!(alarm.is_raised(&range), *expected, "{data} {missing:?}");
        }
    }
}

/// The mailer at work, minute by minute, and what it measured at which second.
struct AlarmSimulation {
    stack: TestStack,
    fixtures: Fixtures,
    second: i64,
    measured: BTreeMap<i64, f64>,
}

impl AlarmSimulation {
    /// A mailer that has been well for ten minutes.
    async fn begin() -> Self {
        let (stack, fixtures) = Fixtures::start().await;
        let mut simulation = Self { stack, fixtures, second: 0, measured: BTreeMap::new() };
        simulation.sweep_for(10).await;
        simulation
    }

    async fn invite(&self, local: &str) -> String {
        let body = json!({ "email": address(local), "first_name": "Zoë", "last_name": "Roy", "status": "invited" });
        let created = self.stack.post("/user", &self.fixtures.admin_1.key, &body).await;
        created.json()["id"].as_str().expect("an id").to_owned()
    }

    /// Sweeps once a minute.
    async fn sweep_for(&mut self, minutes: i64) {
        for _ in 0..minutes {
            let event = json!({ "source": "aws.scheduler", "detail-type": "Scheduled Event", "detail": {} });
            let deadline = presence_runtime::clock::Deadline::after(std::time::Duration::from_mins(10));
            let swept = Box::pin(with_metrics(handle(self.stack.local.outbox(), &event, deadline))).await;
            assert!(swept.0.is_ok());
            let ages: Vec<_> = swept.1.iter().filter(|(name, _)| name == "outbox_age_seconds").collect();
            let [(_, age)] = ages[..] else { panic!("one age a sweep: {ages:?}") };
            self.measured.insert(self.second, *age);
            self.be_silent_for(1);
        }
    }

    fn be_silent_for(&mut self, minutes: i64) {
        self.second += minutes * SWEEP_SECONDS;
        self.stack.clock.advance(SignedDuration::from_secs(minutes * SWEEP_SECONDS));
    }

    /// The seconds after `since` at which the alarm, evaluated every minute, is raised for the first time; none if it never is.
    fn raised_after(&self, alarm: Alarm, since: i64) -> Option<i64> {
        let ends = (since..self.second).filter(|second| second % alarm.period == 0);
        ends.map(|begin| (begin, begin + alarm.period))
            .find(|(begin, _)| alarm.is_raised_after(*begin, &self.measured))
            .map(|(_, end)| end - since)
    }

    fn is_raised_now(&self, alarm: Alarm) -> bool {
        alarm.is_raised_after(self.second - alarm.period, &self.measured)
    }
}

fn outbox_age() -> Alarm {
    Alarm::of(TEMPLATE.resource("OutboxAgeAlarm"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_healthy_outbox_raises_no_alarm_whatever_waits_for_the_end_of_a_window() {
    let mut simulation = AlarmSimulation::begin().await;
    for round in 0..6 {
        let id = simulation.invite(&format!("guest-{round}")).await;
        simulation.sweep_for(1).await;
        // Called off and asked for again: the mail waits for some minutes.
        for status in ["active", "invited"] {
            let body = json!({ "status": status, "password": "canary-pass-1" });
            assert_eq!(
                simulation.stack.post(&format!("/user/{id}"), &simulation.fixtures.admin_1.key, &body).await.status,
                200
            );
        }
        simulation.sweep_for(6).await;
    }
    assert_eq!(simulation.stack.local.mailbox().mails().len(), 12);
    // Ten minutes after the first sweep there are enough data.
    assert_eq!(simulation.raised_after(outbox_age(), 600), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_sweep_that_comes_late_raises_no_alarm() {
    let mut simulation = AlarmSimulation::begin().await;
    simulation.be_silent_for(1);
    simulation.sweep_for(5).await;
    assert_eq!(simulation.raised_after(outbox_age(), 600), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outage_of_ses_raises_the_alarm_after_fifteen_minutes_and_until_the_mail_is_sent() {
    let mut simulation = AlarmSimulation::begin().await;
    simulation.stack.local.mailbox().set_ses_mode(SesMode::Reject);
    let begun_at = simulation.second;
    simulation.invite("guest").await;
    simulation.sweep_for(60).await;
    let raised_after = simulation.raised_after(outbox_age(), begun_at).expect("an alarm");
    assert!((15 * 60..=18 * 60).contains(&raised_after), "{raised_after} s");
    assert!(simulation.is_raised_now(outbox_age()), "though the mail rests most of the time");
    simulation.stack.local.mailbox().set_ses_mode(SesMode::Accept);
    simulation.sweep_for(75).await;
    assert_eq!(simulation.stack.local.mailbox().mails().len(), 1);
    assert!(!simulation.is_raised_now(outbox_age()), "it is over");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_that_stops_raises_the_alarm_within_five_minutes_and_not_longer_than_it_is_away() {
    let mut simulation = AlarmSimulation::begin().await;
    let last_sweep = simulation.second - SWEEP_SECONDS;
    simulation.be_silent_for(30);
    let raised_after = simulation.raised_after(outbox_age(), last_sweep).expect("an alarm");
    assert!(raised_after <= 300, "{raised_after} s after the last sweep");
    assert!(simulation.is_raised_now(outbox_age()));
    // As the alarm was before, nobody would have heard of it; and with three of three, a minute or two later.
    let deaf = Alarm { missing: Missing::NotBreaching, ..outbox_age() };
    assert_eq!(simulation.raised_after(deaf, last_sweep), None);
    let slow = Alarm { enough_breaching: 3, ..outbox_age() };
    assert!(simulation.raised_after(slow, last_sweep).expect("an alarm") > 300);
    simulation.sweep_for(3).await;
    assert!(!simulation.is_raised_now(outbox_age()), "it is over");
}

//! Pace of a user's invitations: one accepted in five minutes, one mail in five minutes.

use jiff::Timestamp;

use super::{SENDING_TIME, WINDOW};

/// Pace of a user's invitations.
///
/// `invited_at` opens the window that callers meet: the API accepts no further invitation before its end. `quiet_until` ends
/// the window of the last mail: the mailer sends no further one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InvitationPace {
    /// Instant at which an invitation was last accepted for sending and not called off.
    pub invited_at: Option<Timestamp>,
    /// Instant five minutes after the last mail that was sent, or that may have been.
    pub quiet_until: Option<Timestamp>,
}

impl InvitationPace {
    /// Returns the first instant, not before `now`, at which another invitation is accepted. Exactly [`WINDOW`] after the
    /// last one is allowed.
    pub fn allowed_at(self, now: Timestamp) -> Timestamp {
        // The clock of another function may be ahead. Nobody waits longer than a window.
        self.invited_at.map_or(now, |invited_at| now.max(invited_at.min(now) + WINDOW))
    }

    /// Returns the pace after an invitation was accepted: a window opens.
    #[must_use]
    pub fn accept(self, now: Timestamp) -> Self {
        Self { invited_at: Some(now), ..self }
    }

    /// Returns the pace after the mail that waits, if one does, was called off: the last mail that was sent counts again.
    #[must_use]
    pub fn call_off(self, now: Timestamp) -> Self {
        Self { invited_at: self.quiet_until.map(|quiet_until| (quiet_until - WINDOW).min(now)), ..self }
    }

    /// Returns the pace after a mailer claimed the mail: until [`SENDING_TIME`] is over nobody knows when it is sent.
    #[must_use]
    pub fn claim(self, now: Timestamp) -> Self {
        Self { quiet_until: Some(claimed_until(now)), ..self }
    }

    /// Returns the pace after a mail was sent.
    #[must_use]
    pub fn sent(self, at: Timestamp) -> Self {
        Self { quiet_until: Some(at + WINDOW), ..self }
    }

    /// Returns the pace after the mail that was claimed was certainly not sent. The window before it was over when it was
    /// claimed, so that none is left.
    #[must_use]
    pub fn not_sent(self) -> Self {
        Self { quiet_until: None, ..self }
    }

    /// Returns the instant until which the mailer has to wait; `None` if it may send.
    pub fn quiet_at(self, now: Timestamp) -> Option<Timestamp> {
        self.quiet_until.filter(|quiet_until| *quiet_until > now)
    }
}

/// Returns the instant until which a claim keeps other mails away: the mail may be sent as late as [`SENDING_TIME`] after it.
pub fn claimed_until(now: Timestamp) -> Timestamp {
    now + SENDING_TIME + WINDOW
}

/// Returns whole seconds from `now` until `instant`, rounded up; 0 when it has come.
pub fn seconds_until(instant: Timestamp, now: Timestamp) -> i64 {
    let milliseconds = instant.as_millisecond() - now.as_millisecond();
    if milliseconds <= 0 { 0 } else { (milliseconds - 1) / 1000 + 1 }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use proptest::prelude::*;

    use super::*;

    fn at(milliseconds: i64) -> Timestamp {
        Timestamp::from_millisecond(1_000_000_000 + milliseconds).expect("an instant")
    }

    fn pace(invited_at: Option<i64>, quiet_until: Option<i64>) -> InvitationPace {
        InvitationPace { invited_at: invited_at.map(at), quiet_until: quiet_until.map(at) }
    }

    #[test]
    fn an_invitation_is_accepted_as_the_table_says() {
        for (invited_at, now, allowed_at) in [
            (None, 0, 0),
            (Some(0), 0, 300_000),
            (Some(0), 299_999, 300_000),
            (Some(0), 300_000, 300_000),
            (Some(0), 900_000, 900_000),
            // By a clock that is ahead.
            (Some(5), 0, 300_000),
            (Some(4_199_000), 0, 300_000),
        ] {
            assert_eq!(pace(invited_at, None).allowed_at(at(now)), at(allowed_at), "{invited_at:?} at {now}");
        }
    }

    #[test]
    fn a_mail_that_is_called_off_leaves_the_window_of_the_last_mail() {
        for (why, before, invited_at) in [
            ("none was sent", pace(Some(0), None), None),
            ("one was sent at 0", pace(Some(900), Some(300_000)), Some(0)),
            ("one was sent long ago", pace(Some(900), Some(-300_000)), Some(-600_000)),
            ("one is being sent since 900", pace(Some(800), Some(900 + 320_000)), Some(1_000)),
        ] {
            assert_eq!(before.call_off(at(1_000)).invited_at, invited_at.map(at), "{why}");
        }
    }

    #[test]
    fn seconds_are_rounded_up() {
        for (instant, seconds) in [(-5, 0), (0, 0), (1, 1), (1_000, 1), (1_001, 2)] {
            assert_eq!(seconds_until(at(instant), at(0)), seconds, "{instant}");
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Wait(i64),
        Invite,
        Toggle,
        Deliver(Option<bool>),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            prop_oneof![Just(0), Just(1), Just(299_999), Just(300_000), 0..400_000_i64].prop_map(Step::Wait),
            Just(Step::Invite),
            Just(Step::Toggle),
            prop_oneof![Just(Some(true)), Just(Some(false)), Just(None)].prop_map(Step::Deliver),
        ]
    }

    /// One user with its waiting mail, and the mails that were sent.
    #[derive(Debug, Default)]
    struct Life {
        now: i64,
        pace: InvitationPace,
        /// Instant at which the waiting mail is due.
        waiting: Option<Timestamp>,
        accepted: Vec<i64>,
        sent: Vec<i64>,
    }

    impl Life {
        fn invite(&mut self) {
            let (now, allowed_at) = (at(self.now), self.pace.allowed_at(at(self.now)));
            let seconds = seconds_until(allowed_at, now);
            assert!((0..=300).contains(&seconds), "{seconds} s");
            if seconds == 0 {
                // Of those who ask at the same instant, the next one waits.
                self.pace = self.pace.accept(now);
                assert_eq!(seconds_until(self.pace.allowed_at(now), now), 300);
                assert_eq!(self.pace.allowed_at(now + WINDOW), now + WINDOW, "exactly then");
                assert!(self.pace.allowed_at(now + WINDOW - SignedDuration::from_millis(1)) == now + WINDOW);
                self.waiting = Some(now);
                self.accepted.push(self.now);
            }
        }

        /// Makes the user active, and invites it again at once.
        fn toggle(&mut self) {
            let now = at(self.now);
            self.pace = self.pace.call_off(now);
            let due_at = self.pace.allowed_at(now);
            assert!(due_at <= now + WINDOW);
            assert!(
                !self.sent.is_empty() || self.pace.quiet_until.is_some() || due_at == now,
                "none was sent: at once"
            );
            self.pace = self.pace.accept(now);
            self.waiting = Some(due_at);
        }

        /// Delivers the waiting mail if it is due. `None`: SES took it, and nobody learns that.
        fn deliver(&mut self, is_taken: Option<bool>) {
            let now = at(self.now);
            if self.waiting.is_none_or(|due_at| due_at > now) || self.pace.quiet_at(now).is_some() {
                return;
            }
            self.pace = self.pace.claim(now);
            if is_taken != Some(false) {
                self.sent.push(self.now);
            }
            match is_taken {
                Some(true) => (self.pace, self.waiting) = (self.pace.sent(now), None),
                Some(false) => self.pace = self.pace.not_sent(),
                None => {}
            }
        }
    }

    proptest! {
        #[test]
        fn nobody_waits_longer_than_five_minutes_or_is_sent_two_mails_in_them(steps in prop::collection::vec(step(), 1..60)) {
            let mut life = Life::default();
            for step in steps {
                match step {
                    Step::Wait(time) => life.now += time,
                    Step::Invite => life.invite(),
                    Step::Toggle => life.toggle(),
                    Step::Deliver(is_taken) => life.deliver(is_taken),
                }
            }
            let window = WINDOW.as_millis().try_into().expect("a small number");
            prop_assert!(life.sent.windows(2).all(|pair| pair[1] - pair[0] >= window), "{:?}", life);
            // None is lost: what waits is sent when its time has come.
            life.now += 700_000;
            let is_waiting = life.waiting.is_some();
            let before = life.sent.len();
            life.deliver(Some(true));
            prop_assert_eq!(life.sent.len(), before + usize::from(is_waiting));
        }
    }
}

//! Sending of the messages of a segment: several calls of the queue at once, those of one group one after another.

use presence_domain::error::Error;

use crate::outside::{Queue, QueueMessage};

/// Maximum number of calls of the queue at a time. A call takes some 20 ms and 256 KB.
pub(crate) const CALLS_IN_FLIGHT: usize = 8;

/// Sends messages, those of each group in their order. Messages of different groups may overtake each other. After an error, some
/// messages may have been sent, and of each group the first ones.
///
/// # Errors
/// The first error of the queue.
pub(crate) async fn send_groups(queue: &dyn Queue, groups: Vec<Vec<QueueMessage>>) -> Result<(), Error> {
    let sequences = sequences(groups);
    let sending = sequences.iter().map(|messages| queue.send_batch(messages));
    futures::future::try_join_all(sending).await.map(drop)
}

/// Distributes groups over at most [`CALLS_IN_FLIGHT`] sequences of about the same size. A group stays whole, and in its order.
fn sequences(groups: Vec<Vec<QueueMessage>>) -> Vec<Vec<QueueMessage>> {
    let mut sequences: Vec<(usize, Vec<QueueMessage>)> = Vec::new();
    for group in groups {
        let bytes: usize = group.iter().map(QueueMessage::size).sum();
        if sequences.len() < CALLS_IN_FLIGHT {
            sequences.push((bytes, group));
        } else if let Some((sum, messages)) = sequences.iter_mut().min_by_key(|(sum, _)| *sum) {
            *sum += bytes;
            messages.extend(group);
        }
    }
    sequences.into_iter().map(|(_, messages)| messages).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::FutureExt as _;
    use futures::future::BoxFuture;

    use super::*;
    use crate::calls::calls;
    use crate::outside::GivenBack;

    /// Queue that takes one message at a time of each sending, so that sendings alternate.
    #[derive(Default)]
    struct AlternatingQueue {
        under_way: AtomicUsize,
        most_under_way: AtomicUsize,
        sent: Mutex<Vec<QueueMessage>>,
        /// Body of a message that is refused.
        refused: Option<String>,
    }

    impl Queue for AlternatingQueue {
        fn send_batch<'a>(&'a self, messages: &'a [QueueMessage]) -> BoxFuture<'a, Result<(), Error>> {
            async move {
                let under_way = self.under_way.fetch_add(1, Ordering::Relaxed) + 1;
                self.most_under_way.fetch_max(under_way, Ordering::Relaxed);
                for message in messages {
                    tokio::task::yield_now().await;
                    if self.refused.as_ref() == Some(&message.body) {
                        return Err(Error::Unavailable("the queue refuses a message".into()));
                    }
                    self.sent.lock().expect("nobody panics").push(message.clone());
                }
                self.under_way.fetch_sub(1, Ordering::Relaxed);
                Ok(())
            }
            .boxed()
        }

        fn give_back<'a>(&'a self, _: &'a [GivenBack]) -> BoxFuture<'a, Result<(), Error>> {
            unreachable!("nothing is received")
        }
    }

    /// Returns groups of messages of this size. Their bodies begin with the number of the message in its group.
    fn groups(groups: usize, messages: usize, bytes: usize) -> Vec<Vec<QueueMessage>> {
        let message = |group: usize, number: usize| {
            let body = format!("{number} of {group} {}", "x".repeat(bytes));
            let (group_id, deduplication_id) = (format!("{group}-0"), format!("{group} {number}"));
            QueueMessage { group_id, deduplication_id, body, attributes: BTreeMap::new() }
        };
        (0..groups).map(|group| (0..messages).map(|number| message(group, number)).collect()).collect()
    }

    fn by_group(messages: &[QueueMessage]) -> BTreeMap<String, Vec<QueueMessage>> {
        let mut groups: BTreeMap<String, Vec<QueueMessage>> = BTreeMap::new();
        for message in messages {
            groups.entry(message.group_id.clone()).or_default().push(message.clone());
        }
        groups
    }

    #[tokio::test]
    async fn groups_are_sent_side_by_side_and_each_in_its_order() {
        for (number, most) in [(1, 1), (5, 5), (8, 8), (30, CALLS_IN_FLIGHT)] {
            let (queue, groups) = (AlternatingQueue::default(), groups(number, 7, 10));
            send_groups(&queue, groups.clone()).await.expect("every message is sent");
            assert_eq!(queue.most_under_way.load(Ordering::Relaxed), most, "{number} groups");
            let sent = queue.sent.into_inner().expect("nobody panics");
            assert_eq!(sent.len(), number * 7);
            assert_eq!(by_group(&sent), by_group(&groups.concat()), "{number} groups");
        }
    }

    #[tokio::test]
    async fn after_an_error_each_group_has_its_first_messages_and_none_behind_a_missing_one() {
        let groups = groups(20, 3, 10);
        let refused = Some(groups[17][1].body.clone());
        let queue = AlternatingQueue { refused, ..AlternatingQueue::default() };
        send_groups(&queue, groups.clone()).await.expect_err("a message is refused");
        let sent = by_group(&queue.sent.into_inner().expect("nobody panics"));
        assert!(!sent.is_empty());
        for group in groups {
            let of_group = sent.get(&group[0].group_id).cloned().unwrap_or_default();
            assert_eq!(group[..of_group.len()], of_group[..]);
        }
        assert!(sent.get("17-0").is_none_or(|of_group| of_group.len() <= 1));
    }

    #[test]
    fn calls_one_after_another_are_an_eighth_and_small_groups_share_calls() {
        // (groups, messages of each, bytes of each): an organisation with 8 lanes, and many organisations.
        for (case, calls_before, waves) in [((8, 5, 190_000), 40, 5), ((2_000, 1, 4_000), 2_000, 25)] {
            let groups = groups(case.0, case.1, case.2);
            let before: usize = groups.iter().map(|group| calls(group).len()).sum();
            let longest = sequences(groups).iter().map(|messages| calls(messages).len()).max();
            assert_eq!((before, longest), (calls_before, Some(waves)), "{case:?}");
        }
    }

    #[test]
    fn sequences_have_about_the_same_size() {
        let mut groups = groups(40, 1, 1_000);
        groups.push(vec![groups[0][0].clone(); 5]);
        let sizes: Vec<usize> = sequences(groups).iter().map(Vec::len).collect();
        assert_eq!(sizes.iter().sum::<usize>(), 45);
        assert!(sizes.iter().all(|size| (4..=10).contains(size)), "{sizes:?}");
    }
}

//! Replies on their way: each accepted reply reaches the queue, in the order of its review, whatever fails.

mod background;
mod connector;
mod faults;
mod fixture;
mod hand_on;
mod histories;
mod local_queue;

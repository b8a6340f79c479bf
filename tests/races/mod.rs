//! Requests that race each other.

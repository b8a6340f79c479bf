//! Laws that hold for any data.

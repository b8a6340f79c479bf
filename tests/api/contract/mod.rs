//! Every operation and every parameter, as the interface and its decisions say.

//! Who may do what: the matrix of roles, operations and targets.

//! Statistics of reviews: filters, groups, bodies, access, hostile values and cost. The oracle is that of searches.

mod budget;
mod filters;
mod groups;
mod many_groups;
mod moving_business;
mod response_body;

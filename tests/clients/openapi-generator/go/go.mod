module journey

go 1.23

require gopkg.in/validator.v2 v2.0.0

// The generated code checks the tags of fields with this module, and writes no tags. The module cannot be fetched everywhere.
replace gopkg.in/validator.v2 => ./validator

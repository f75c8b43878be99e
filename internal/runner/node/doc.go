// Package node is what the JavaScript test frameworks share: how a raw error
// becomes a Failure with its kind and place, which tests a file declares, and
// where a run that hangs is.
//
// Its invariant: a kind is claimed by structure first (the error's class,
// code, operator, the text of the file named) and by a message's grammar only
// where a framework offers nothing else; what is not recognised stays
// thrown_error and is never dressed up as something a fixer would act on.
//
// It does not start test runs and reads no standard output; that is the
// frameworks' own packages' part.
package node

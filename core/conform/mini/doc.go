// Package mini holds the smallest environment, learner and method that use every
// part of their contracts. Episodes have random lengths and end by themselves or
// at a time limit. Masks change, and teams differ in size. There are recurrent
// state, several heads, penalties, exact save and restore. The conformance suites
// and the tests of the training loop run on them in milliseconds. A new continual
// method can be tried on them before there is a network.
package mini

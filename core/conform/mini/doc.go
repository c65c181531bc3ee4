// Package mini holds the smallest environment, learner and method that use every
// part of their contracts: episodes of random length that end by themselves or
// at a time limit, masks that change, teams of different size, recurrent state,
// several heads, penalties, exact save and restore. The conformance suites and
// the tests of the training loop run on them in milliseconds; a new continual
// method can be tried on them before there is a network.
package mini

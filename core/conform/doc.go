// Package conform holds the suites that every plugin of a kind must pass. A
// plugin's test is one line and then its own numbers:
//
//	func TestConformance(t *testing.T) { conform.Env(t, Plugin{}, settings) }
//
// A suite is a list of named checks; each runs as a subtest. Checks use only
// the contract, so the same suite holds for a plugin in another process. What
// such a plugin cannot promise (a step without allocation) is left out by name:
//
//	conform.Env(t, client, settings, "allocations")
//
// A check is a function that returns an error, so that the suites' own tests
// can feed them plugins with one fault each.
package conform

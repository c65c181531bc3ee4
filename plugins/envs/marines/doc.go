// Package marines is the environment family "marines": squads of marines, led agent by
// agent, fight squads that attack on their own. Tasks differ in the numbers on the two
// sides, so in the sizes of observations, states and action sets as well.
//
// The sequence "train" has the paper's four tasks. Twenty more are only tested: the
// four with shorter sight and range, whose names end in _change, and sixteen other
// sizes. The packages skirmish and battle hold the rules of the game, what agents see
// and what they are paid.
//
// The battles are simulated; StarCraft II is not needed. Win rates are not those of the
// real game: compare methods with each other, not with published numbers.
package marines

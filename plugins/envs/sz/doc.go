// Package sz is the environment family "sz": squads of stalkers, which shoot, and
// zealots, which must come close, are led agent by agent against squads of the same
// unit types that attack on their own. Tasks differ in the numbers of both types on
// the two sides, so in the sizes of observations, states and action sets as well.
//
// The sequence "train" has the paper's four tasks. Twenty more are only tested: the
// four with shorter sight and range, whose names end in _change, and sixteen other
// squads. The packages skirmish and battle hold the rules of the game, what agents see
// and what they are paid.
//
// The battles are simulated; StarCraft II is not needed. Win rates are not those of the
// real game: compare methods with each other, not with published numbers.
package sz

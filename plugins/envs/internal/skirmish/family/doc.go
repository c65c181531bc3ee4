// Package family turns maps of package battle into an environment family: what the
// plugins marines, sz and smac have in common. A [Family] is data; its methods are
// those of core.EnvPlugin.
//
// The layout of observations and states is that of battle.View. It is made of
// entities, so attention networks can be cut from it: core.Entities in the spec.
//
// An episode that reaches its limit is reported as truncated, never as terminated.
// Success is the win flag: all enemies dead while an agent lives.
package family

// Package remote lets plugins live in processes of their own, written in Go or
// in Python. On this side of the process border it offers the contracts of
// package core over gRPC. Nothing else in macpro can tell such a plugin from a
// plugin that is compiled in. On the other side it serves an implementation of a
// contract:
//
//	func main() { remote.Serve(corridor.Plugin{}) }
//
// # What crosses the border
//
// One call of a contract is one message and one answer. Tensors are raw bytes
// and keep their bits. Random streams travel as their position, settings and
// journal rows as typed values. So a run with an isolated plugin has the same
// journal and the same checkpoints, byte for byte, as a run without. A continual
// method gets the run's learner and rollouts as services that it calls back. A
// HeadStepper stays in the method's process. Every step asks it there, also in
// rollouts while the method waits for them: calls nest (process.Gate). Saved states
// are streamed in pieces and may have any size. Any other message may have up to
// process.MaxMessage bytes.
//
// The description of a plugin names its optional abilities. Those of a learner
// (core.AbilitiesOf) stand in the answer to New. A client has exactly the
// abilities of the plugin behind it. A hook on the gradient stays with its method:
// the gradient of every step goes there and comes back.
//
// # What is trusted
//
// Nothing that a plugin answers. Shapes, masks and numbers are checked before
// anything is written to the caller's memory. Every call has a time-out. Whatever
// goes wrong is an error with the plugin's name, the call and the plugin's last
// words (package process). The plugin itself runs with the user's rights. Package
// manifest lets only those plugins run that the user has named or accepted.
package remote

// Package remote lets plugins live in processes of their own, written in Go or
// in Python. On this side of the process border it offers the contracts of
// package core over gRPC, so that nothing else in macpro can tell such a plugin
// from one that is compiled in; on the other side it serves an implementation of
// a contract:
//
//	func main() { remote.Serve(corridor.Plugin{}) }
//
// # What crosses the border
//
// One call of a contract is one message and one answer. Tensors are raw bytes
// and keep their bits, random streams travel as their position, settings and
// journal rows as typed values: a run with an isolated plugin has the same
// journal and the same checkpoints, byte for byte, as one without. A continual
// method gets the run's learner and rollouts as services that it calls back; a
// HeadStepper stays in the method's process and is asked there at every step,
// also by rollouts while the method waits for them: calls nest (process.Gate).
// Saved states are streamed in pieces and may have any size; any other message
// may have up to process.MaxMessage bytes.
//
// The optional abilities of plugins are named in their description, those of
// learners (core.AbilitiesOf) in the answer to New, and a client has exactly the
// abilities of what it stands for. A hook on the gradient stays with its method:
// the gradient of every step goes there and comes back.
//
// # What is trusted
//
// Nothing that a plugin answers. Shapes, masks and numbers are checked before
// anything is written to the caller's memory, every call has a time-out, and
// whatever goes wrong is an error with the plugin's name, the call and the
// plugin's last words (package process). The plugin itself runs with the user's
// rights: package manifest sees to it that only plugins run which the user has
// named or accepted.
package remote

// Package api speaks the binary protocol of StarCraft II: the messages that
// playing one small battle needs, and the codec that turns them into bytes.
//
// The game's protocol is a set of protocol-buffer messages (version 2 of the
// language). Of its several hundred this package has about forty, each with only the
// fields that are used; the codec skips all others, so a newer game that says more
// is understood as well. A message is a struct whose fields carry their number:
//
//	type Step struct {
//		Count uint32 `pb:"1"`
//	}
//
// A client sends one [Request] per message of its connection and gets one
// [Response] back, in order. Of the many commands of either exactly one is set.
package api

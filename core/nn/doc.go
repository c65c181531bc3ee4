// Package nn is the engine: everything that touches Gorgonia and the float32
// kernels.
//
// # Networks
//
// A [Network] is one flat slice of parameters and one of gradients. A [Layout]
// plans it: every module (an [MLP], a [GRU], or a segment of a caller's own)
// takes the next contiguous [Segment], in which its tensors lie by name in
// PyTorch's layout. So phi, a head or a mixer is a [Range], and copying,
// saving, clipping or regularising one is a loop over a slice.
//
// # Graphs
//
// A [Graph] is described once, compiled and run many times. Gorgonia holds the
// graph and differentiates it symbolically. A program of our own runs its nodes.
// The heavy work sits in a handful of [Fused] operations: a whole stack of layers,
// a whole recurrent sequence, a mixer with its loss. They have hand-written
// backward passes, and each has one place in one graph. Implement Fused to add
// another.
//
// Rows are counted by an [Extent], whose capacity is fixed when the graph is
// built while its length changes from run to run. No operation reads a row
// beyond the length, so nothing is ever padded. In a batch of sequences the
// rows are time-major over real steps only; [Steps] says which are where.
//
// Once the largest batch has been seen, a run allocates nothing. A graph keeps
// one core busy unless it has a [Crew], which works on the parts of operations
// that can be cut without changing a bit ([Threaded]). Several graphs may run at
// the same time. Equal inputs give equal bits.
//
// # Precision
//
// With [Layout].Precision [BF16] the products of layers at least 32 wide round
// their operands to bfloat16: forward pass, input gradient and weight gradient.
// Weights, gradients, activations, attention between tokens and optimisers stay
// float32. The bits are the same on every processor that has the kernels.
//
// # Items
//
// Rows may hold items, any number of them side by side: what an agent sees of
// others, the entities of a state. [Attention] looks at them for the row's own
// query, [Pairs] answers for each of them in the row's context, [Summary] makes
// one vector of all. Their parameters do not depend on the number of items.
//
// # Acting
//
// [Dense], [Cell], [Recurrent], [Look] and [Answer] apply modules to a few rows
// without a graph, with the bits that the graph would give.
package nn

package qlearn

// EntityConfig are the widths that networks on entities share, agents and
// mixers alike.
type EntityConfig struct {
	Embed int `cfg:"entity_embed_dim" min:"1" only:"entities" help:"width of an embedded entity"`
	Attn  int `cfg:"attn_embed_dim" min:"1" only:"entities" help:"width of queries and keys in attention over entities"`
}

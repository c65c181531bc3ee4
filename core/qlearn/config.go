package qlearn

// Config are the settings that every learner of this package shares. Names and
// defaults are the keys of configs/default.yaml.
type Config struct {
	Gamma              float64 `cfg:"gamma" min:"0" max:"1" help:"discount factor of the return"`
	TDLambda           float64 `cfg:"td_lambda" min:"0" max:"1" help:"weight of the longer return in the TD target; 0 is the one-step target of the paper"`
	DoubleQ            bool    `cfg:"double_q" help:"choose the action of the TD target with the online network instead of the target network"`
	BootstrapOnTimeout bool    `cfg:"bootstrap_on_timeout" help:"value what follows an episode that was cut by the time limit; false counts the cut as an end"`

	LR            float64 `cfg:"lr" min:"0" help:"step size of RMSProp"`
	OptimAlpha    float64 `cfg:"optim_alpha" min:"0" max:"1" help:"decay of RMSProp's mean of squared gradients"`
	OptimEps      float64 `cfg:"optim_eps" min:"0" help:"added to RMSProp's root in the denominator"`
	GradNormClip  float64 `cfg:"grad_norm_clip" min:"0" help:"largest L2 norm of the whole gradient, penalties included; 0 switches the clip off"`
	ClipScope     string  `cfg:"clip_scope" enum:"total,td" help:"what the clip sees: the whole gradient, or the part of the TD loss before penalties are added"`
	PhiLRScale    float64 `cfg:"phi_lr_scale" min:"0" help:"factor on the step size of the features while a penalty acts"`
	OptimOnSwitch string  `cfg:"optim_on_switch" enum:"keep,reset_head" help:"what happens to the optimiser's state of the live head when another head becomes live"`

	ObsLastAction bool `cfg:"obs_last_action" help:"append the agent's last action, one-hot, to its observation"`
	ObsAgentID    bool `cfg:"obs_agent_id" help:"append the agent's number, one-hot, to its observation"`

	Sharing string `cfg:"sharing" enum:"full,none" neutral:"full" help:"agents share one network (full), or each has a network of its own (none; flat observations only)"`

	Shards int `cfg:"shards" min:"2" max:"8" neutral:"2" help:"parts of a batch whose gradients are added in order, 2, 4 or 8: as many threads may work; another number gives other bits"`

	Precision string `cfg:"precision" enum:"float32,bf16" neutral:"float32" help:"operands of large matrix products: as they are (float32), or rounded to bfloat16 with sums in float32 (bf16), faster where the processor has AVX512_BF16"`

	FeatureScale float64 `cfg:"feature_scale" min:"0" help:"factor on the features of observations and states before any network"`
	MLPHidden    int     `cfg:"mlp_hidden" min:"1" max:"4096" only:"flat mlp_layers!=1" help:"width of the hidden layers below the recurrent cell"`
	MLPLayers    int     `cfg:"mlp_layers" min:"1" max:"64" only:"flat" help:"number of layers below the recurrent cell, the last one of width rnn_hidden_dim"`
	RNNHiddenDim int     `cfg:"rnn_hidden_dim" min:"1" max:"4096" help:"width of the recurrent state, which is the feature that heads see"`

	// Networks on entities.
	EntityConfig
	IDLength          int  `cfg:"id_length" min:"1" max:"16" only:"entities" help:"bits of an agent's number among entities; n bits tell 2^n-1 agents apart"`
	AttnFCMult        int  `cfg:"attn_fc_mult" min:"1" only:"entities" help:"width of the hidden layers behind the attention, in embedded entities"`
	AttnMaskInvisible bool `cfg:"attn_mask_invisible" only:"entities" help:"attend only to entities that the agent sees, not to the zeros of others"`
}

// EntityConfig are the widths that networks on entities share, agents and
// mixers alike.
type EntityConfig struct {
	Embed int `cfg:"entity_embed_dim" min:"1" only:"entities" help:"width of an embedded entity"`
	Attn  int `cfg:"attn_embed_dim" min:"1" only:"entities" help:"width of queries and keys in attention over entities"`
}

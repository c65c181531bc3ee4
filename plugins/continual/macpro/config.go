package macpro

import (
	"fmt"

	"macpro/core"
	"macpro/core/config"
)

// Config holds the method's own keys. The defaults and where they come from
// are in configs/algs/macpro.yaml.
type Config struct {
	ZDim         int    `cfg:"z_dim" min:"1" max:"1024" help:"width of a context and of the encoders' tokens"`
	EncHeads     int    `cfg:"enc_heads" min:"1" max:"64" help:"attention heads of the encoders, each z_dim wide"`
	EncDepth     int    `cfg:"enc_depth" min:"1" max:"64" help:"transformer blocks of the encoders"`
	EncFFMult    int    `cfg:"enc_ff_mult" min:"1" max:"64" help:"hidden width of a block in units of z_dim"`
	EncPosEnc    string `cfg:"enc_posenc" enum:"none,sin" help:"codes of the time step that are added to the tokens"`
	Aggregation  string `cfg:"aggregation" enum:"poe,mean" help:"how the Gaussians of the time steps become one: product of experts or plain mean"`
	POEPrior     bool   `cfg:"poe_prior" only:"aggregation=poe" help:"a standard normal is one of the experts"`
	POEMask      bool   `cfg:"poe_mask_padding" only:"aggregation=poe" help:"only real time steps are experts; false adds one for every step up to the time limit"`
	EncOutput    string `cfg:"enc_output" enum:"log_variance,std" neutral:"log_variance" help:"what the encoders give beside the mean of a time step: the log variance, or as in the paper the standard deviation, from a third layer on"`
	LastRecord   bool   `cfg:"enc_last_record" neutral:"false" help:"the encoders also read what is seen after the last action, s_T, as in the paper"`
	LocalEncoder string `cfg:"local_encoder" enum:"shared,per_agent" help:"one local encoder f for all agents or one each"`

	ShapeFeature bool    `cfg:"encoder_shape_feature" only:"entities" help:"tokens of embedded states and observations also hold how many floats they were made of"`
	ShapeScale   float64 `cfg:"encoder_shape_scale" min:"0" only:"entities encoder_shape_feature=true" help:"factor on that number"`
	AgentCode    string  `cfg:"encoder_agent_code" enum:"own,cycling" only:"entities" help:"which agent a row of observations is marked with: its own, or in turn with time as the official code does"`

	ModelHidden int    `cfg:"model_hidden" min:"1" max:"4096" only:"rec_coef!=0" help:"width of the forward model's two hidden layers"`
	ModelTarget string `cfg:"model_state_target" enum:"delta,next" only:"rec_coef!=0" help:"what the model predicts of the state: its change or its successor"`
	StateUnits  string `cfg:"model_state_units" enum:"first,last" only:"rec_coef!=0" help:"outputs of the model that a task's state is decoded from: its first ones, or as in the official code its last ones"`

	ModelLoss string `cfg:"model_loss" enum:"mean,sum" neutral:"mean" only:"rec_coef!=0" help:"squared errors of the model: their mean over time steps and outputs, or as in the paper their sum, averaged over trajectories"`

	RecCoef    float64 `cfg:"rec_coef" min:"0" help:"weight of the model loss; with 0 there is no model"`
	ApproxCoef float64 `cfg:"approx_coef" min:"0" help:"weight of the distance of f to g"`
	AlphaContG float64 `cfg:"alpha_cont_g" min:"0" help:"weight of the contrastive loss of g"`
	AlphaContL float64 `cfg:"alpha_cont_l" min:"0" help:"weight of the contrastive loss of f"`
	Divergence string  `cfg:"div_reduction" enum:"mean_half,sum" help:"Jeffreys divergence: half the mean over dimensions, or the sum"`
	ContEps    float64 `cfg:"contrastive_eps" min:"0" help:"added to the divergence of different groups before it is inverted"`

	ClipLocal bool `cfg:"clip_local" neutral:"true" help:"also clip the gradient of f; the official code does not where observations are flat"`

	ContextBatch  int   `cfg:"context_batch" min:"2" help:"trajectories per group in a context step and in the expansion test, bs in the paper"`
	MinGroups     int   `cfg:"context_min_groups" min:"1" only:"boundaries=told" help:"groups with a full batch that a context step needs"`
	ContextGroups int   `cfg:"context_groups_per_step" min:"0" neutral:"0" help:"groups drawn for each context step, whose time grows with them; 0 takes all"`
	ContextBuffer int   `cfg:"context_buffer_size" min:"1" help:"trajectories in the store D' of all groups together"`
	Kappa1        int64 `cfg:"kappa1" min:"1" help:"transitions between two context steps"`
	Kappa2        int64 `cfg:"kappa2" min:"1" help:"transitions between two copies of the live head to its saved head"`

	SaveNested bool `cfg:"save_with_context" neutral:"false" help:"save the live head only if a context step is due at the same time, as in the official code"`

	Protect      string  `cfg:"protect" enum:"penalty,mask,distill" neutral:"penalty" help:"what keeps the features phi of old heads: the paper's pull to where they were (penalty), fixed weights (mask), or a loss on the values of saved heads (distill)"`
	ProtectShare float64 `cfg:"protect_share" min:"0" max:"1" neutral:"0.5" only:"protect=mask" help:"share of the weights of every layer of phi still moving that are fixed at a task's end, the largest; 0 fixes none"`
	ProtectCoef  float64 `cfg:"protect_coef" min:"0" neutral:"1.0" only:"protect=distill" help:"weight of the loss on the values of saved heads; 0 switches it off"`
	ProtectBatch int     `cfg:"protect_batch" min:"1" neutral:"32" only:"protect=distill" help:"trajectories of D' that each gradient step has beside its batch"`

	AlphaReg float64 `cfg:"alpha_reg" min:"0" only:"protect=penalty" help:"weight of the pull of the features phi to where they were at the last task's end"`
	RegNorm  string  `cfg:"reg_norm" enum:"squared,l2" only:"protect=penalty" help:"the pull is the squared distance or the distance"`
	RegSum   string  `cfg:"reg_sum" enum:"once,agents" neutral:"once" only:"protect=penalty" help:"the pull counts once, or as in the paper once for each agent, all of which share phi"`

	Expansion   string  `cfg:"expansion" enum:"adaptive,always,never" help:"when a new task gets a new head"`
	MaxHeads    int     `cfg:"max_heads" min:"0" neutral:"0" only:"expansion=adaptive" help:"most heads: with so many, a new task joins the nearest group at any distance; 0 sets no limit"`
	LambdaNew   float64 `cfg:"lambda_new" min:"0" only:"expansion=adaptive" help:"a task is merged if its distance is at most this many radii"`
	MergeStrict bool    `cfg:"merge_strict" neutral:"false" only:"expansion=adaptive" help:"a task is merged if its distance is below that, not at most that, as in the official code"`
	NewHead     string  `cfg:"new_head" enum:"copy,reset" help:"a new head starts as a copy of the last one or afresh"`
	Identify    string  `cfg:"identify_policy" enum:"per_head,live" only:"expansion=adaptive" help:"who plays the new task for the expansion test: each saved head, or always the live one"`
	IdentifyEps float64 `cfg:"identify_epsilon" min:"0" max:"1" only:"expansion=adaptive" help:"probability of a random action in the expansion test"`
	MergeScore  string  `cfg:"merge_score" enum:"distance,ratio" only:"expansion=adaptive" help:"the nearest group is that of the smallest distance, or of the smallest distance in radii"`
	CenterMode  string  `cfg:"center_mode" enum:"fresh,cached" help:"centers are computed when they are needed, or left over from the last context step"`
	CenterFrom  string  `cfg:"center_sample" enum:"newest,uniform" help:"trajectories of D' that a fresh center is the mean of"`
	RadiusFloor float64 `cfg:"radius_floor" min:"0" help:"least radius of a group as a fraction of the distance to the nearest other center"`

	BorderWindow   int     `cfg:"border_window" min:"2" neutral:"64" only:"boundaries=hidden" help:"training episodes whose contexts are compared with those of as many before them"`
	BorderRatio    float64 `cfg:"border_ratio" min:"0" neutral:"3.0" only:"boundaries=hidden" help:"such a test finds a border if they are further apart than this, in units of their spread in that direction"`
	BorderPatience int     `cfg:"border_patience" min:"1" neutral:"2" only:"boundaries=hidden" help:"tests in a row that must find a border"`
	BorderSpacing  int64   `cfg:"border_spacing" min:"-1" neutral:"-1" only:"boundaries=hidden" help:"transitions after the start and after a border without such tests; -1 stands for epsilon_anneal_time, while the policy changes by itself"`
	BorderInterval int64   `cfg:"border_interval" min:"1" neutral:"100" only:"boundaries=hidden" help:"transitions between two tests for a border"`

	ProbeEpisodes int     `cfg:"probe_nepisode" min:"1" help:"probing episodes before a test, P in the paper"`
	ProbeEps      float64 `cfg:"probe_epsilon" min:"0" max:"1" help:"probability of a random action while probing"`
	ProbeHeads    string  `cfg:"probe_head_granularity" enum:"episode,step" help:"how long a random head acts while probing"`
	ProbeUse      string  `cfg:"probe_aggregate" enum:"min,mean" help:"a head's distance is its smallest or its mean over the probing episodes"`
	RandomHeads   string  `cfg:"random_head_granularity" enum:"episode,step" help:"how long a head acts in the mode random_head"`
	CurrentHead   string  `cfg:"eval_current_head" enum:"live,saved" help:"what acts in tests for the head in training: the live head or its saved copy"`
	OracleMerged  string  `cfg:"oracle_merged" enum:"own,live" neutral:"own" help:"what acts in the mode oracle on a merged task: own (the head of its group) or live (the head in training, as in the official code)"`
	GenCenters    string  `cfg:"gen_center_source" enum:"buffer,rollout" help:"centers for tasks that are only tested: from D', or from new episodes of the trained tasks"`
	Latents       bool    `cfg:"latents" help:"write the contexts of context_batch episodes of every task at each task's start and end"`
}

// Values of keys that the code asks for.
const (
	keySin      = "sin"
	keyMean     = "mean"
	keyPerAgent = "per_agent"
	keyDelta    = "delta"
	keySum      = "sum"
	keyL2       = "l2"
	keyAlways   = "always"
	keyNever    = "never"
	keyLive     = "live"
	keyRatio    = "ratio"
	keyCached   = "cached"
	keyNewest   = "newest"
	keyStep     = "step"
	keyRollout  = "rollout"
	keyCycling  = "cycling"
	keyLast     = "last"
	keyStd      = "std"
	keyAgents   = "agents"
)

// shared are keys of every run that the method also reads.
type shared struct {
	LR           float64 `cfg:"lr" min:"0" help:"step size, here of both Adams"`
	GradNormClip float64 `cfg:"grad_norm_clip" min:"0" help:"largest gradient norm, here of g with h and of f"`
	FeatureScale float64 `cfg:"feature_scale" min:"0" help:"factor on observations and states before every network"`
	Precision    string  `cfg:"precision" enum:"float32,bf16" neutral:"float32" help:"operands of large matrix products, here of the encoders and the forward model"`
}

// entities are the shared keys of networks on entities, which tasks without any
// need not have.
type entities struct {
	Embed    int `cfg:"entity_embed_dim" min:"1" help:"width of an embedded entity"`
	Attn     int `cfg:"attn_embed_dim" min:"1" help:"width of queries and keys in attention over entities"`
	IDLength int `cfg:"id_length" min:"1" help:"bits of an agent's number"`
}

// settings are all keys that the encoders and the method depend on.
type settings struct {
	Config
	shared
	entities
}

// decodeEntities adds the keys for tasks made of entities.
func (c *settings) decodeEntities(s core.Settings) error { return config.Decode(s, &c.entities) }

func decode(s core.Settings) (c settings, err error) {
	if err := config.Decode(s, &c.Config, &c.shared); err != nil {
		return c, err
	}
	if c.ContEps == 0 && c.AlphaContG+c.AlphaContL > 0 {
		return c, fmt.Errorf("contrastive_eps 0: two equal contexts of different groups would have an infinite loss")
	}
	if n := c.ContextGroups; n > 0 && n < c.MinGroups {
		return c, fmt.Errorf("context_groups_per_step %d: a context step needs context_min_groups %d groups; draw as many, or all of them (0)", n, c.MinGroups)
	}
	return c, nil
}

package store

// pymarlNames are the names that PyMARL and EPyMARL give to numbers of training,
// by field. In tests "test_" stands before them.
var pymarlNames = map[string]string{
	"return_mean": "return_mean",
	"return_std":  "return_std",
	"win_rate":    "battle_won_mean",
	"length_mean": "ep_length_mean",
	"epsilon":     "epsilon",
	"loss":        "loss",
	"grad_norm":   "grad_norm",
	"td_abs":      "td_error_abs",
	"q_taken":     "q_taken_mean",
	"target":      "target_mean",
}

// flatName is PyMARL's name of a field, or the field's own where PyMARL has none.
func flatName(field string) string {
	if name, ok := pymarlNames[field]; ok {
		return name
	}
	return field
}

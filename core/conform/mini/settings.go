package mini

import "macpro/core"

// Settings are the shared keys of a run of about a hundred episodes, with
// changes on top: key, value, key, value.
func Settings(changes ...any) core.Settings {
	s := core.Settings{
		"seed": 1, "sequence": "train", "tasks": []string{}, "steps_per_task": 160, "steps_by_task": []string{}, "stop_when": "none", "from": "none", "extended": []int{},
		"sequence_repeat": 1, "sequence_shuffle": false, "sequence_seed": 1, "boundaries": "told",
		"epsilon_start": 1.0, "epsilon_finish": 0.05, "epsilon_anneal_time": 120, "reset_epsilon": true, "explore_sticky": 0.25,
		"envs_per_rollout": 1, "batch_size": 4, "buffer_size": 12, "train_steps_per_episode": 1,
		"target_update_interval": 7, "sync_target_on_switch": true,
		"test_interval": 60, "test_nepisode": 5, "boundary_full_test": true, "test_tasks": "all", "plasticity_nepisode": 0, "final_avg_points": 2, "q_alarm_factor": 1.2,
		"log_interval": 25, "checkpoint_interval": 0, "checkpoint_keep": 2, "threads": 1, "shards": 2,
	}
	for i := 0; i+1 < len(changes); i += 2 {
		s[changes[i].(string)] = changes[i+1]
	}
	return s
}

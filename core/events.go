package core

// Kinds of journal rows that readers of results know. Every row also has t_env,
// episode and task; the fields named here are those that tables and figures use.
const (
	// EventTaskStart: index, head, heads.
	EventTaskStart = "task_start"
	// EventTaskEnd: index, heads, final_average by mode.
	EventTaskEnd = "task_end"
	// EventTrain: means since the last such row, and heads.
	EventTrain = "train"
	// EventTest: mode, index, score, seen; after at a task's border.
	EventTest = "test"
	// EventTestEpisode: mode, index, and heads, the head of each agent.
	EventTestEpisode = "test_episode"
	// EventExpansion: decision (first, new or merge), head, heads, and the distances
	// that decided.
	EventExpansion = "expansion"
	// EventAlarm: reason.
	EventAlarm = "alarm"
	// EventLatents: when, head, g [episodes][z] and f [episodes][agents][z], the
	// contexts of one task; the tasks of one dump follow each other.
	EventLatents = "latents"
)

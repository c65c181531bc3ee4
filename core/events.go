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
	// EventExpansion: decision (new or merge), head, heads, and the distances
	// that decided.
	EventExpansion = "expansion"
	// EventAlarm: reason.
	EventAlarm = "alarm"
	// EventLatents is a dump of task representations: points, a list of objects
	// with task, head (the task's), agent (-1 for the global encoder g) and mu,
	// the mean of the latent distribution.
	EventLatents = "latents"
)

// Package metrics computes the measures of continual learning from test scores.
// Training and reports use the same code, and every measure has its source:
//
//	GEM   Lopez-Paz and Ranzato, "Gradient Episodic Memory for Continual
//	      Learning", NeurIPS 2017
//	CW    Wolczyk et al., "Continual World", NeurIPS 2021
//	CORA  Powers et al., "CORA: Benchmarks, Baselines, and Metrics as a Platform
//	      for Continual Reinforcement Learning Agents", CoLLAs 2022
//
// Scores lie in [0,1]. M tasks are counted from 0 here; row j of a Matrix holds
// the scores after j tasks, so that row 0 is the untrained network. A score that
// was not measured is NaN, and so is every measure that needs it.
package metrics

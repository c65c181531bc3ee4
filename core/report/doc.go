// Package report turns recorded runs into the tables and figures of the MACPro
// paper, with the paper's own numbers beside them, and into one HTML page.
//
//	runs ──Summarize──▶ Summary ──Set──▶ Group ──table kinds──▶ Table ──▶ text, md, tex, csv, json
//	                                      └──────figure kinds─▶ Figure ─▶ png, svg, pdf (gonum/plot)
//	                                                                └───▶ charts of the page (go-echarts)
//
// A Summary is a small JSON file with everything that is needed of a run, so
// that committed tables can be made anew without the runs themselves.
//
// Numbers follow the paper: a mean over seeds and the population standard
// deviation. Beside them stand the measures of Agarwal et al., "Deep
// Reinforcement Learning at the Edge of the Statistical Precipice" (NeurIPS
// 2021): interquartile mean, stratified bootstrap intervals and the probability
// of improvement.
//
// Runs are averaged only if they differ in nothing but the seed, and compared
// only if profile, constants of the tasks and version of the program agree;
// Options.Mix lifts this and says so in the foot of the table. What is missing
// is shown as missing.
//
// The package reads results and knows nothing of networks or training.
package report

// Package data hands out what runs recorded, for programs that analyse it: one
// long table with a row for each number (CSV, Parquet), and the JSON structure of
// marl-eval (Gorsane et al., "Towards a Standardised Performance Evaluation
// Protocol for Cooperative MARL", NeurIPS 2022).
package data

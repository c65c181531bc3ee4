// Package report publishes what recorded runs have come to: all tables and figures
// of a set of runs, as files that can be committed.
//
//	runs ──read.Summarize──▶ Summary ──Set──▶ tables.Build ──▶ Table ──▶ text, md, tex, csv, json
//	                                             └─tables.Draw──▶ draw.Figure ─▶ png, svg, pdf
//	                                                                └──────────▶ page
//
// Package alike says which runs may stand in one table. Which tables there are and
// what stands in them is data: configs/tables and configs/figures. The packages read
// results. They know nothing of networks or training, and no plugin by name.
package report

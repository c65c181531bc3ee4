// Package store keeps everything that a run leaves behind in one folder, and is
// the only package that writes files.
//
//	results/runs/<id>/
//	  manifest.json       who, what, with which versions; status and last error
//	  config.yaml         the resolved configuration
//	  journal.jsonl       one row an event, append-only: the truth of the run
//	  checkpoints/<t>/    parts and, last, index.json with sizes and hashes
//	  final.json          the closing numbers, once the run is done
//	  log.txt             what was printed
//	  tb/, sacred/        views of the journal for TensorBoard and EPyMARL's plots
//	  lock                held by the process that trains
//
// The promises, in the order in which they are kept when something breaks:
//
//   - No file is ever half there. Small files are written under another name,
//     synced and renamed. A checkpoint is a folder. It is renamed as a whole after
//     its index was written and synced.
//   - A run that was cut at any moment resumes from its newest complete
//     checkpoint. A damaged one is set aside, with a warning, for the one before.
//   - A resumed journal equals that of a run that was never cut, except for the
//     wall clock (wall_s). Rows after the checkpoint are cut off. The views are
//     made anew from the rows that stay.
//   - Two processes never train in one folder. The lock of a dead process is no
//     obstacle: the operating system holds it, not the file's existence.
//   - If somebody else deletes, cuts or writes to the lock or the journal, the run
//     ends with an error. It looks before every write and is never called done.
//   - Memory does not grow with the length of a run.
//
// All access goes through FS, so that tests can fail any single operation and
// can take away everything that was not synced.
package store

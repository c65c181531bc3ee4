package store

// ReadFile returns a whole file of at most 64 MiB, as readers of results do.
func ReadFile(fsys FS, name string) ([]byte, error) { return readFile(fsys, name) }

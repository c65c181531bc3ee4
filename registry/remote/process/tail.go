package process

import (
	"strings"
	"sync"
	"time"
)

// tailSize is how much of a process's output is kept, in bytes.
const tailSize = 8 << 10

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p[max(0, len(p)-tailSize):]...)
	t.data = t.data[max(0, len(t.data)-tailSize):]
	return len(p), nil
}

// heard is lastWords once they hold the first line of what, "" if that does not come.
func (t *tail) heard(what string, patience time.Duration) string {
	what, _, _ = strings.Cut(what, "\n")
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		t.mu.Lock()
		there := strings.Contains(string(t.data), what)
		t.mu.Unlock()
		if there {
			return t.lastWords()
		}
	}
	return ""
}

// lastWords is what explains an end best: from the line of a Go panic on, or
// else the last lines.
func (t *tail) lastWords() string {
	const most = 12
	t.mu.Lock()
	text := strings.ToValidUTF8(strings.TrimSpace(string(t.data)), "?")
	t.mu.Unlock()
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "panic: ") || strings.HasPrefix(l, "fatal error: ") {
			return strings.Join(lines[i:min(len(lines), i+most)], "\n")
		}
	}
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}

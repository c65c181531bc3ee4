package process

import (
	"strings"
	"sync"
)

// tailSize is how much of a process's output is kept, in bytes.
const tailSize = 8 << 10

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p[max(0, len(p)-tailSize):]...)
	t.data = t.data[max(0, len(t.data)-tailSize):]
	return len(p), nil
}

// lastWords is what explains an end best.
func (t *tail) lastWords() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return explaining(string(t.data))
}

// explaining is what explains a fault best: from the line of a Go panic on, or else the
// last lines.
func explaining(text string) string {
	const most = 12
	text = strings.ToValidUTF8(strings.TrimSpace(text), "?")
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

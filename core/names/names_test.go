package names

import (
	"strings"
	"testing"
)

func TestUnknownNamesTheNearest(t *testing.T) {
	for _, c := range []struct{ name, near string }{
		{"macpr", "macpro"}, {"EWC", "ewc"}, {"finetune", "finetuning"}, {"fin", "finetuning"}, {"xyzzyxyzzy", ""},
	} {
		known := []string{"ewc", "finetuning", "macpro"}
		err := Unknown("method", c.name, known)
		if c.near != "" && !strings.Contains(err.Error(), `did you mean "`+c.near+`"`) {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.near == "" && strings.Contains(err.Error(), "did you mean") {
			t.Errorf("%s: %v", c.name, err)
		}
		if !strings.Contains(err.Error(), "known: ewc, finetuning, macpro") {
			t.Errorf("%s: list is missing: %v", c.name, err)
		}
	}
}

func TestNearestSharesALetter(t *testing.T) {
	known := []string{"lr", "alg", "env"}
	for _, name := range []string{"", "b", "<<", "ключ"} {
		if near := Nearest(name, known); near != "" {
			t.Errorf("%q is near %q", name, near)
		}
	}
	if near := Nearest("l", known); near != "lr" {
		t.Errorf("l is near %q", near)
	}
}

// Letters in another order are the likelier slip.
func TestNearestSwapsLetters(t *testing.T) {
	for _, c := range []struct {
		name, near string
		known      []string
	}{
		{"without_rge", "without_reg", []string{"without_poe", "without_reg", "without_model"}},
		{"without_rge", "without_reg", []string{"without_reg", "without_poe"}},
		{"teh", "ten", []string{"the", "ten"}}, // nearer by one
	} {
		if got := Nearest(c.name, c.known); got != c.near {
			t.Errorf("%s among %v: %q, want %q", c.name, c.known, got, c.near)
		}
	}
}

// Another word is no slip, however long both are.
func TestNearestKeepsToSlips(t *testing.T) {
	known := []string{"zealot_separation", "missiles", "conventions", "clone_episodes", "buffer_size", "epsilon_start", "test_nepisode"}
	for name, near := range map[string]string{
		"state_last_action": "", "difficulty": "", "continuing_episode": "", "accumulated_episodes": "", "hidden_size": "",
		"eps_start": "epsilon_start", "zealot_seperation": "zealot_separation", "missils": "missiles",
	} {
		if got := Nearest(name, known); got != near {
			t.Errorf("%s: %q, want %q", name, got, near)
		}
	}
}

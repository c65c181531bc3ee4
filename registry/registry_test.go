package registry

import (
	"strings"
	"testing"

	"macpro/core"
)

type named string

func (n named) Info() core.Info { return core.Info{Name: string(n), Summary: "a method", Version: "1"} }

func TestCatalogue(t *testing.T) {
	c := NewCatalogue[named]("method")
	for _, n := range []named{"owl", "ewc"} {
		if err := c.Register(n); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Register("ewc"); err == nil || !strings.Contains(err.Error(), `method "ewc" is registered twice`) {
		t.Errorf("second registration: %v", err)
	}
	for _, name := range []named{"", "a b", "\x1b[31m"} {
		if err := c.Register(name); err == nil {
			t.Errorf("accepted the name %q", string(name))
		}
	}
	if p, err := c.Get("owl"); err != nil || p != "owl" {
		t.Errorf("Get(owl) = %v, %v", p, err)
	}
	if got := strings.Join(c.Names(), " "); got != "ewc owl" {
		t.Errorf("names %q", got)
	}
}

package registry

import (
	"strings"
	"testing"

	"macpro/core"
)

type named string

func (n named) Info() core.Info { return core.Info{Name: string(n)} }

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
	if err := c.Register(""); err == nil {
		t.Error("accepted an empty name")
	}
	if p, err := c.Get("owl"); err != nil || p != "owl" {
		t.Errorf("Get(owl) = %v, %v", p, err)
	}
	if got := strings.Join(c.Names(), " "); got != "ewc owl" {
		t.Errorf("names %q", got)
	}
}

package family

import "macpro/core"

var _ core.Painter = (*env)(nil)

// Paint shows the map and all units with their health, see battle.Battle.
func (e *env) Paint(lane int, s *core.Scene) { e.battles[lane].Paint(s) }

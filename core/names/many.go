package names

import "fmt"

// Many is a number of things, as in "1 head" and "2 heads".
func Many[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

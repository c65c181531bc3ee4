package sz

import (
	"testing"

	"macpro/core/conform"
)

func BenchmarkStep(b *testing.B) {
	for _, task := range []string{"2s3z", "3s5z"} {
		b.Run(task, func(b *testing.B) {
			e, err := Plugin.Open(task, 8, defaults(b))
			if err != nil {
				b.Fatal(err)
			}
			conform.BenchmarkEnv(b, e, 8)
		})
	}
}

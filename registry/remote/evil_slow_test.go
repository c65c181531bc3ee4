//go:build slow

package remote_test

import "time"

func init() { campaignTime = 5 * time.Minute }

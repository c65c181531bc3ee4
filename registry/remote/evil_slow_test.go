//go:build slow

package remote_test

import "time"

func init() { campaignTime, campaignSeed = 5*time.Minute, uint64(time.Now().UnixNano()) }

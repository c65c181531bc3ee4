//go:build slow

package kills_test

const rounds = 3 // how often tests with random moments are played

//go:build !slow

package kills_test

const rounds = 1 // how often tests with random moments are played

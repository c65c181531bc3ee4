package metrics

import "testing"

// sameSpeeds compares lists of speeds.
func sameSpeeds(t *testing.T, name string, got []float64, want ...float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", name, got, want)
	}
	for k := range want {
		near(t, name, got[k], want[k])
	}
}

// All values were worked out by hand. Task a is learned in 10, in 5 and in 10 steps of
// 10; b in its second visit not at all; c is trained once.
func TestLearningSpeedOverVisits(t *testing.T) {
	tasks := []string{"a", "b", "a", "c", "b", "a"}
	spans := [][2]int64{{0, 10}, {10, 20}, {20, 30}, {30, 40}, {40, 50}, {50, 60}}
	curves := []Curve{
		{{0, 0}, {10, 1}, {60, 0}},                   // area 1/2; what comes after the visit does not count
		{{0, 0}, {10, 0.2}, {20, 0.6}, {60, 0.1}},    // .4
		{{0, 0}, {20, 0}, {25, 1}, {30, 1}, {60, 0}}, // 3/4
		{{30, 1}, {40, 1}},
		{{40, 0}, {50, 0}},           // 0
		{{50, 0}, {55, 0}, {60, .4}}, // .1
	}
	speed, relative := LearningSpeed(tasks, curves, spans)
	sameSpeeds(t, "speed", speed, (.5+.4)/2, (.75+0)/2, .1)
	sameSpeeds(t, "relative", relative, 1, .75/.9, .1/.5)
	near(t, "loss", SpeedLoss(tasks, curves, spans), 1-(.1+0)/(.5+.4))

	curves[2] = Curve{{20, 0}, {24, 1}, {60, 0}} // ended at 24: .2 + .6, as if it had stayed at 1
	spans[2][1] = 24
	speed, _ = LearningSpeed(tasks, curves, spans)
	near(t, "speed of a visit that ended early", speed[1], (.8+0)/2)

	curves[4] = nil
	speed, relative = LearningSpeed(tasks, curves, spans)
	sameSpeeds(t, "speed without tests of b", speed, .5, .8, .1)
	sameSpeeds(t, "relative without tests of b", relative, 1, 1.6, .2)
	near(t, "loss without tests of b", SpeedLoss(tasks, curves, spans), .8)
}

func TestLearningSpeedIsUndefined(t *testing.T) {
	spans := [][2]int64{{0, 10}, {10, 20}}
	never := []Curve{{{0, 0}, {10, 0}}, {{10, 0}, {20, 1}}}
	speed, relative := LearningSpeed([]string{"a", "b"}, never, spans)
	sameSpeeds(t, "no task twice", speed)
	sameSpeeds(t, "no task twice", relative)
	near(t, "no task twice", SpeedLoss([]string{"a", "b"}, never, spans), nan)
	speed, relative = LearningSpeed([]string{"a", "a"}, never, spans)
	sameSpeeds(t, "nothing learned at first", speed, 0, .5)
	sameSpeeds(t, "nothing learned at first", relative, nan, nan)
	near(t, "nothing learned at first", SpeedLoss([]string{"a", "a"}, never, spans), nan)
	for first, want := range map[float64]float64{.09: nan, .1: 1 - .5/.1} {
		curves := []Curve{{{0, first}, {10, first}}, never[1]}
		near(t, "little learned at first", SpeedLoss([]string{"a", "a"}, curves, spans), want)
	}
}

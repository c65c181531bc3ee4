package remote_test

func evils() map[string]any { return nil }

func beforeServing(string) {}

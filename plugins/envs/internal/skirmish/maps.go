package skirmish

// The maps. All tasks of the two continual benchmarks share Field; the other shapes
// follow the outlines of SMAC maps that have one of their own.
var (
	// Field is open in rows 8 to 23 over the whole width.
	Field = newTerrain(span{0, 32, 8, 24})

	// Arena is a square yard inside a closed wall, with an unreachable rim outside.
	Arena = newTerrain(
		span{0, 32, 0, 1}, span{0, 32, 31, 32}, span{0, 1, 0, 32}, span{31, 32, 0, 32},
		span{3, 29, 3, 29})

	// Pentagon is a small yard with a pointed top.
	Pentagon = newTerrain(
		span{8, 20, 7, 8}, span{7, 21, 8, 20}, span{8, 20, 20, 21}, span{9, 19, 21, 22},
		span{10, 18, 22, 23}, span{11, 17, 23, 24}, span{12, 16, 24, 25})

	// Octagon is a yard with cut corners.
	Octagon = newTerrain(
		span{10, 22, 5, 27}, span{9, 23, 6, 26}, span{8, 24, 7, 25}, span{7, 25, 8, 24},
		span{6, 26, 9, 23}, span{5, 27, 10, 22})

	// Ravine is a broad valley with a ridge across its middle.
	Ravine = newTerrain(
		span{3, 29, 6, 7}, span{2, 30, 7, 8}, span{1, 31, 8, 9}, span{0, 32, 9, 12},
		span{0, 4, 12, 13}, span{28, 32, 12, 13},
		span{0, 32, 13, 17}, span{1, 31, 17, 18}, span{2, 30, 18, 19}, span{3, 29, 19, 20})

	// Corridor joins two yards by a narrow passage.
	Corridor = newTerrain(
		span{2, 14, 1, 2}, span{1, 14, 2, 3}, span{1, 13, 3, 11}, span{1, 14, 11, 12}, span{2, 15, 12, 13},
		span{11, 26, 13, 14}, span{12, 27, 14, 15}, span{13, 28, 15, 16}, span{13, 29, 16, 17},
		span{12, 30, 17, 18}, span{11, 31, 18, 22}, span{12, 31, 22, 23}, span{13, 31, 23, 24},
		span{14, 31, 24, 25}, span{15, 31, 25, 26}, span{16, 31, 26, 27}, span{17, 31, 27, 28},
		span{18, 31, 28, 29}, span{19, 31, 29, 30}, span{20, 30, 30, 31})
)

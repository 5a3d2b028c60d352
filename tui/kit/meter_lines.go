package kit

// Sparks draws a column for each figure; the highest is full. Zero is a dot, and
// the smallest other figure is seen.
func Sparks(figures []int) string {
	top := 1
	for _, n := range figures {
		top = max(top, n)
	}
	return SparksTo(figures, top)
}

// SparksTo draws a column for each figure; one of top is full.
func SparksTo(figures []int, top int) string {
	const bars = "▁▂▃▄▅▆▇█"
	line := make([]rune, len(figures))
	for i, n := range figures {
		if line[i] = '·'; n > 0 {
			line[i] = []rune(bars)[min(n*8/max(top, 1), 8)-min(1, n*8/max(top, 1))]
		}
	}
	return string(line)
}

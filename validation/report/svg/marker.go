package svg

// Marker is the form of a point. Forms tell series apart where colours do not.
type Marker int

// The markers.
const (
	Dot Marker = iota
	Square
	Diamond
	Triangle
	Cross
	Ring
)

// Mark draws a marker around a point, about r to each side.
func (c *Canvas) Mark(m Marker, class string, x, y, r float64, tip string) {
	switch m {
	case Square:
		side := 1.7 * r
		c.Rect(class, x-side/2, y-side/2, side, side, 0, tip)
	case Diamond:
		c.Path(class, closed(XY{x, y - 1.3*r}, XY{x + 1.3*r, y}, XY{x, y + 1.3*r}, XY{x - 1.3*r, y}), tip)
	case Triangle:
		c.Path(class, closed(XY{x, y - 1.2*r}, XY{x + 1.15*r, y + 0.9*r}, XY{x - 1.15*r, y + 0.9*r}), tip)
	case Cross:
		c.Path(class+" stroked", "M"+at(x-r, y-r)+"L"+at(x+r, y+r)+"M"+at(x-r, y+r)+"L"+at(x+r, y-r), tip)
	case Ring:
		c.circle(class+" stroked", x, y, r, tip)
	default:
		c.circle(class, x, y, r, tip)
	}
}

func (c *Canvas) circle(class string, x, y, r float64, tip string) {
	c.open("circle", class)
	c.numbers(attribute{"cx", x}, attribute{"cy", y}, attribute{"r", r})
	c.tip("circle", tip)
}

func closed(points ...XY) string {
	d := "M"
	for i, p := range points {
		if i > 0 {
			d += "L"
		}
		d += at(p.X, p.Y)
	}
	return d + "Z"
}

func at(x, y float64) string { return num(x) + " " + num(y) }

package evidence

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Float is a number that a log may give as NaN or infinite. JSON has no word for those: they are written as the strings "NaN", "+Inf", "-Inf".
type Float float64

// MarshalJSON writes a number, or one of the three strings.
func (f Float) MarshalJSON() ([]byte, error) {
	v := float64(f)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return json.Marshal(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return json.Marshal(v)
}

// UnmarshalJSON reads a number, or one of the three strings.
func (f *Float) UnmarshalJSON(b []byte) error {
	var v float64
	if err := json.Unmarshal(b, &v); err == nil {
		*f = Float(v)
		return nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("reading a number: %w", err)
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return fmt.Errorf("reading a number: %w", err)
	}
	*f = Float(v)
	return nil
}

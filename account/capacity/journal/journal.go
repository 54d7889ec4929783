// Package journal keeps purchase journals: in the account's Parameter Store, or in a folder.
//
// Both are logs in which each number is taken once, which is all that account/capacity builds on. The Parameter Store is
// seen by everybody who works in the account and Region, so that two machines exclude each other. A folder serves one
// machine.
package journal

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/weft-hpc/weft/account/capacity"
)

// segment writes a part of a key so that parameter names and files can hold it: letters, digits, hyphens and dots stay,
// everything else becomes _ and two hex digits by byte. No two parts become equal.
func segment(part string) string {
	var out strings.Builder
	for _, b := range []byte(part) {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', b == '-', b == '.' && out.Len() > 0:
			out.WriteByte(b)
		default:
			fmt.Fprintf(&out, "_%02x", b)
		}
	}
	if out.Len() == 0 {
		return "_"
	}
	return out.String()
}

// path writes a key, whose parts are set apart by slashes.
func path(key string) string {
	parts := strings.Split(key, "/")
	for i, p := range parts {
		parts[i] = segment(p)
	}
	return strings.Join(parts, "/")
}

func encode(e capacity.Entry) ([]byte, error) {
	data, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("writing an entry of the purchase journal: %w", err)
	}
	return data, nil
}

func decode(name string, data []byte) (capacity.Entry, error) {
	var e capacity.Entry
	if err := json.Unmarshal(data, &e); err != nil {
		return capacity.Entry{}, fmt.Errorf("reading %s of the purchase journal: %w", name, err)
	}
	return e, nil
}

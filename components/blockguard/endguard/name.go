package endguard

import (
	"crypto/sha256"
	"encoding/hex"
)

// longest is how long the name of a guard may be in the names of its parts: rules of EventBridge and roles have 64
// characters, of which an event and the provider's suffix take 18.
const longest = 46

// Name is what the names of a guard's rules and role begin with: its own name, cut where it is too long, and another one
// for another name.
func Name(guard string) string {
	if len(guard) <= longest {
		return guard
	}
	const digits = 6
	sum := sha256.Sum256([]byte(guard))
	return guard[:longest-digits-1] + "-" + hex.EncodeToString(sum[:])[:digits]
}

// DocumentName is what the name of a guard's document begins with: never with aws, amazon or amzn, which Systems Manager
// keeps for itself (API Reference, CreateDocument).
func DocumentName(guard string) string { return "weft-" + Name(guard) + "-guard" }

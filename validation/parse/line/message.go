package line

import (
	"bytes"

	"github.com/weft-hpc/weft/validation/parse/mark"
)

// Message finds a debug message of NCCL or of a plugin in a line's text:
//
//	vm:2146:2160 [0] NCCL INFO Using network Libfabric
//	[2026-09-18 05:10:44] vm:2146:2160 [0] plugin/net.cc:348 NCCL WARN Failed to initialize any NET plugin
//
// The message begins with its time stamp or its host. What stands before it was written by another program, without a line end: nccl-tests
// prints the left half of a row, measures, and prints the right half, and messages come in between, as in `float     sum      -1vm:2146:…`.
// There the column's value is parted from the host's name by what can stand in that column (-1, 0, N/A). A second message that is glued to
// the first one is found by giving Message the first one's [Head.Body].
func Message(text []byte) (before, message []byte, found bool) {
	if _, ok := ParseHead(text); ok {
		return nil, text, true
	}
	for from := 0; ; {
		i := rareSign.Index(text[from:])
		if i < 0 {
			return text, nil, false
		}
		if start, ok := begin(text, from+i); ok {
			return text[:start], text[start:], true
		}
		from += i + len(sign)
	}
}

// sign is the mark of a message.
const sign = " NCCL "

var rareSign = mark.NewRare(sign, 'N')

// Mentions reports whether a text has the mark of a message in it: without it there is no message.
func Mentions(text []byte) bool { return rareSign.Index(text) >= 0 }

var launcher = mark.NewRare("<std", '<')

// Labelled reports whether a launcher's mark of a process may stand in a text, `[1,0]<stdout>:`, behind which another process goes on.
func Labelled(text []byte) bool { return launcher.Index(text) >= 0 }

// reach is how far before the mark a message can begin: over the longest function's name that a warning names.
const reach = 512

// begin goes back from the mark to where the message begins: over a function's name, the device in brackets, the thread, the process and
// the host.
func begin(text []byte, at int) (start int, ok bool) {
	least := max(0, at-reach)
	for end := at; end > least; {
		device := bytes.LastIndex(text[least:end], []byte(" ["))
		if device < 0 {
			return 0, false
		}
		device += least
		if host := back(text, device); host >= 0 {
			host = afterColumn(text, host)
			if _, ok := ParseHead(text[host:]); !ok {
				return 0, false
			}
			return beforeStamp(text, host), true
		}
		end = device
	}
	return 0, false
}

// back goes back from the end of `host:pid:tid` to its beginning; -1 where that is not what stands there.
func back(text []byte, end int) int {
	i := end
	for range 2 {
		j := i
		for j > 0 && digit(text[j-1]) {
			j--
		}
		if j == i || j == 0 || text[j-1] != ':' {
			return -1
		}
		i = j - 1
	}
	host := i
	for host > 0 && hostByte[text[host-1]] {
		host--
	}
	if host == i {
		return -1
	}
	return host
}

// afterColumn parts the last column of a row from the name of a host that is glued to it.
func afterColumn(text []byte, host int) int {
	row := bytes.TrimLeft(text[:host], " ")
	if len(row) == 0 || !digit(row[0]) {
		return host
	}
	name := text[host:]
	switch {
	case bytes.HasPrefix(name, []byte("-1")):
		return host + 2
	case name[0] == 'A' && bytes.HasSuffix(row, []byte("N/")), name[0] == '0':
		return host + 1
	}
	i := host
	for digit(text[i]) {
		i++
	}
	if text[i] == ':' {
		return host // a name of digits alone
	}
	return i
}

// beforeStamp goes back over a time stamp, `[2026-09-18 05:10:44] `.
func beforeStamp(text []byte, host int) int {
	const stamp = len("[2026-09-18 05:10:44] ")
	if i := host - stamp; i >= 0 && afterStamp(text[i:]) == stamp {
		return i
	}
	return host
}

// Level is how grave NCCL takes a message to be.
type Level byte

// The levels.
const (
	Other Level = iota // TRACE, ABORT, CALL, …
	Info
	Warn
)

// Head is what a debug message begins with. Its bytes are the line's.
type Head struct {
	Host  []byte
	Level Level
	Where []byte // file and line or function that a warning names; empty for most levels
	Body  []byte // the text
}

// ParseHead parts a text that begins with a debug message, as [Message] finds it; without one ok is false.
func ParseHead(text []byte) (h Head, ok bool) {
	i := afterStamp(text)
	start := i
	for i < len(text) && hostByte[text[i]] {
		i++
	}
	if i == start {
		return Head{}, false
	}
	h.Host = text[start:i]
	if i = device(text, i); i < 0 {
		return Head{}, false
	}
	rest := text[i:]
	if len(rest) >= len(sign) && string(rest[:len(sign)]) == sign {
		h.Level, h.Body = level(rest[len(sign):])
		return h, true
	}
	return where(h, rest)
}

// where reads what stands between the device and the mark.
func where(h Head, rest []byte) (Head, bool) {
	at := rareSign.Index(rest[:min(len(rest), reach)])
	if at < 0 {
		return Head{}, false
	}
	h.Where = bytes.TrimSpace(rest[:at])
	if bytes.Contains(h.Where, []byte(" [")) && back(rest, bytes.Index(rest[:at], []byte(" ["))) >= 0 {
		return Head{}, false // the mark is another message's
	}
	h.Level, h.Body = level(rest[at+len(sign):])
	return h, true
}

// device goes on from the host over `:pid:tid [dev]`; -1 where that is not what stands there.
func device(text []byte, i int) int {
	for range 2 {
		if i >= len(text) || text[i] != ':' {
			return -1
		}
		end := number(text, i+1)
		if end == i+1 {
			return -1
		}
		i = end
	}
	return bracket(text, i)
}

// bracket goes on over ` [dev]`.
func bracket(text []byte, i int) int {
	if len(text) < i+4 || text[i] != ' ' || text[i+1] != '[' {
		return -1
	}
	start := i + 2
	if text[start] == '-' {
		start++
	}
	if i = number(text, start); i == start || i == len(text) || text[i] != ']' {
		return -1
	}
	return i + 1
}

// number goes on over digits.
func number(text []byte, i int) int {
	for i < len(text) && digit(text[i]) {
		i++
	}
	return i
}

// afterStamp goes over a time stamp at the beginning.
func afterStamp(text []byte) int {
	if len(text) < 2 || text[0] != '[' || !digit(text[1]) {
		return 0
	}
	end := bytes.IndexByte(text[:min(len(text), 40)], ']')
	if end < 0 || end+1 >= len(text) || text[end+1] != ' ' {
		return 0
	}
	return end + 2
}

// level reads the level and what follows it.
func level(text []byte) (Level, []byte) {
	const width = len("INFO ")
	if len(text) < width {
		return Other, text
	}
	switch string(text[:width]) {
	case "INFO ":
		return Info, text[width:]
	case "WARN ":
		return Warn, text[width:]
	}
	_, body, _ := bytes.Cut(text, []byte(" "))
	return Other, body
}

func digit(c byte) bool { return c-'0' <= 9 }

// hostByte tells the bytes of a host's name.
var hostByte = func() (table [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") {
		table[c] = true
	}
	return table
}()

package parse

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/weft-hpc/weft/fabric/diag"
	"github.com/weft-hpc/weft/validation/evidence"
)

// looked is what a file can be.
const looked = "output of nccl-tests (text or -J), NCCL's debug log, fi_info, fi_pingpong, DeepEP, hybrid-EP, UCCL-EP, pplx-garden (log or JSON), " +
	"NCCL EP, Megatron-LM, Megatron-Bridge, weft's torch step, a Slurm job, torchrun, a node's boot, or weft's node check"

func unreadable(name, got, want, hint string) diag.Finding {
	return diag.Finding{Rule: diag.FileUnreadable, Place: diag.Place{File: name}, Got: got, Want: want, Hint: hint}
}

func empty(name string) diag.Finding {
	return unreadable(name, "an empty file", looked,
		"the program printed nothing into it: look whether the job ran, and where its output and errors went")
}

// formats are what people hand over by mistake, by the bytes that such a file begins with.
var formats = []struct{ magic, name string }{
	{"\x28\xb5\x2f\xfd", "packed by zstd"},
	{"\xfd7zXZ\x00", "packed by xz"},
	{"BZh", "packed by bzip2"},
	{"PK\x03\x04", "a zip archive"},
	{"\x7fELF", "a program"},
	{"\xff\xfe", "text in UTF-16"},
	{"\xfe\xff", "text in UTF-16"},
	{"SQLite format 3", "a database"},
}

func binary(name string, start []byte) diag.Finding {
	got := fmt.Sprintf("data that are no text, beginning with the bytes % x", start[:min(len(start), 8)])
	for _, f := range formats {
		if bytes.HasPrefix(start, []byte(f.magic)) {
			got += ": " + f.name
			break
		}
	}
	if isArchive(start) {
		got += ": a tar archive"
	}
	return unreadable(name, got, looked+", plain or packed by gzip", "unpack the file, or give the log itself")
}

// isArchive tells tar, also behind gzip, by the mark in its first header.
func isArchive(start []byte) bool {
	const at = 257
	return len(start) > at+5 && string(start[at:at+5]) == "ustar"
}

func torn(name string, broken error) diag.Finding {
	return unreadable(name, fmt.Sprintf("a file packed by gzip that is broken: %v", broken), "a whole file",
		"copy the file again once it is written to its end; what could be unpacked was read")
}

// unknown shows the first line, by which a reader knows the file.
func unknown(name string, start []byte) diag.Finding {
	first, _, _ := bytes.Cut(bytes.TrimSpace(start), []byte("\n"))
	return unreadable(name, "a text that begins "+evidence.Quote(name, 1, first).Text, looked,
		"give the program's own output with NCCL_DEBUG=INFO; if it is one of these, the part with the known lines is missing")
}

// isBinary tells data from text: a log has no zero bytes, and hardly any that are no characters.
func isBinary(start []byte) bool {
	if bytes.IndexByte(start, 0) >= 0 {
		return true
	}
	bad, all := 0, 0
	for len(start) > 0 {
		r, size := utf8.DecodeRune(start)
		if r == utf8.RuneError && size == 1 || r < ' ' && !strings.ContainsRune("\n\r\t\f\b\x1b", r) {
			bad++
		}
		all++
		start = start[size:]
	}
	return bad*4 > all
}

// Package mark tells, in one pass over a line, which of many texts may stand in it: by that most lines of a log are told from the few that
// concern anybody.
package mark

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Window is how many bytes of a text are looked for, and so the least length of a text.
//
// A line is searched for the windows of all texts at once. Each window holds blocks of bytes at stride places, one behind the other, so one
// of them begins where a step of that length through the line comes by, wherever the window stands. Only where a block is that of a window
// are the windows compared. No step waits for what the one before found, which a processor makes good use of: that is what is gained over
// the tables of Wu and Manber (1994), that skip as far.
const (
	Window = 8
	block  = 4
	stride = Window - block + 1
	// bits of a block's place in the set of all: few enough that the set stays in a processor's first cache.
	bits = 16
	// coarse are the bits of a block's place in the list of windows.
	coarse = 12
	// most bounds the number of texts.
	most = 512
)

// Finder finds texts in lines. Make one with [New]; it may be used by several goroutines at a time.
type Finder struct {
	blocks [1 << bits / 64]uint64 // the set of all windows' blocks
	spots  [1 << coarse][]spot    // by a window's block
}

// spot is a block of a window.
type spot struct {
	window uint64
	text   int
	offset int // of the block in the window
}

// New makes a finder of texts. A text is given by its parts, all of which stand in a line that holds it; one of them has [Window] bytes or
// more.
func New(texts [][]string) (*Finder, error) {
	if len(texts) > most {
		return nil, fmt.Errorf("%d texts are more than %d", len(texts), most)
	}
	f := &Finder{}
	for i, parts := range texts {
		window := rarest(parts)
		if window == "" {
			return nil, fmt.Errorf("%q has no part of %d bytes", strings.Join(parts, "*"), Window)
		}
		f.add(i, []byte(window))
	}
	return f, nil
}

func (f *Finder) add(text int, window []byte) {
	for offset := range stride {
		h := hash(window[offset:])
		f.blocks[h/64] |= 1 << (h % 64)
		at := &f.spots[h>>(bits-coarse)]
		*at = append(*at, spot{window: binary.LittleEndian.Uint64(window), text: text, offset: offset})
	}
}

// Find appends to found the places, in what New was given, of the texts that may stand in a line, each once: a part of each stands there.
func (f *Finder) Find(line []byte, found []int) []int {
	before := len(found)
	for i := 0; i+block <= len(line); i += stride {
		if h := hash(line[i : i+block : i+block]); f.blocks[h/64]&(1<<(h%64)) != 0 {
			found = compare(line, i, f.spots[h>>(bits-coarse)], found, before)
		}
	}
	return found
}

// compare appends the texts whose windows stand around a block.
func compare(line []byte, at int, spots []spot, found []int, before int) []int {
	for _, s := range spots {
		start := at - s.offset
		if start < 0 || start+Window > len(line) || binary.LittleEndian.Uint64(line[start:]) != s.window {
			continue
		}
		if !slices.Contains(found[before:], s.text) {
			found = append(found, s.text)
		}
	}
	return found
}

// hash is the place of a block in the set.
func hash(b []byte) uint32 {
	return binary.LittleEndian.Uint32(b) * 2654435761 >> (32 - bits)
}

// rarest is the window of a text whose blocks are the rarest in lines that most logs are made of; empty where no part is long enough.
func rarest(parts []string) (out string) {
	least := 0
	for _, part := range parts {
		for i := 0; i+Window <= len(part); i++ {
			cost := 0
			for j := range stride {
				cost += strings.Count(common, part[i+j:i+j+block])
			}
			if out == "" || cost < least {
				out, least = part[i:i+Window], cost
			}
		}
	}
	return out
}

// common are lines that most of a log is made of.
const common = `ip-10-1-0-11:41230:41299 [3] NCCL INFO Channel 07/0 : 11[3] -> 19[3] [send] via NET/Libfabric/3/GDRDMA
ip-10-1-0-12:41230:41299 [3] NCCL INFO Channel 12/0 : 1[1] -> 9[1] [receive] via NET/Socket/0/Shared
node-1:41230:41299 [3] NCCL INFO Channel 05/1 : 5[5] -> 4[4] via P2P/CUMEM
vm:2146:2146 [0] NCCL INFO Connected to proxy localRank 0 -> connection 0x7f4418000d20
vm:2146:2160 [0] NCCL INFO New proxy recv connection 0 from local rank 0, transport 2
vm:4059:4059 [0] NCCL INFO Trees [0] 1/-1/-1->0->-1 [1] 1/-1/-1->0->-1 [2] 1/-1/-1->0->-1
vm:4059:4059 [0] NCCL INFO NCCL_DEBUG set by environment to INFO
vm:4059:4059 [0] NCCL INFO NET/OFI Selected provider is efa, fabric is efa-direct (found 16 nics)
vm:4059:4059 [0] NCCL INFO AllReduce: opCount 5 sendbuff 0x7f recvbuff 0x7f count 262144 datatype 7 op 0 root 0 comm 0x55 [nranks=2] stream 0x55
     8388608       2097152     float     sum      -1  2349.69    3.57    3.57       0  2348.39    3.57    3.57       0
 [2026-09-18 06:10:09] iteration        1/      24 | consumed samples:          256 | elapsed time per iteration (ms): 311870.4 |
`

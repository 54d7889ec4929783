// Package mark tells, in one pass over a line, which of many texts may stand in it: by that most lines of a log are told from the few that
// concern anybody.
package mark

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// Window is how many bytes of a text are looked for, and so the least length of a text. A line is searched for the windows of all texts at
// once, after Wu and Manber (1994): a table says for each block of bytes how far the window can be moved on, so that a line in which none
// stands costs one look for every five bytes or so.
const (
	Window = 8
	block  = 4
	// bits of a block's place in the tables: few enough that they stay in a processor's first cache.
	bits = 13
	// most bounds the number of texts.
	most = 512
)

// Finder finds texts in lines. Make one with [New]; it may be used by several goroutines at a time.
type Finder struct {
	windows [][]byte
	shift   [1 << bits]uint8
	at      [1 << bits][]int // texts by the last block of their window
}

// New makes a finder of texts. A text is given by its parts, all of which stand in a line that holds it; one of them has [Window] bytes or
// more.
func New(texts [][]string) (*Finder, error) {
	if len(texts) > most {
		return nil, fmt.Errorf("%d texts are more than %d", len(texts), most)
	}
	f := &Finder{}
	for i := range f.shift {
		f.shift[i] = Window - block + 1
	}
	for _, parts := range texts {
		window := rarest(parts)
		if window == "" {
			return nil, fmt.Errorf("%q has no part of %d bytes", strings.Join(parts, "*"), Window)
		}
		f.add([]byte(window))
	}
	return f, nil
}

func (f *Finder) add(window []byte) {
	for i := 0; i+block <= Window; i++ {
		h := hash(window[i:])
		f.shift[h] = min(f.shift[h], uint8(Window-block-i))
	}
	last := hash(window[Window-block:])
	f.at[last] = append(f.at[last], len(f.windows))
	f.windows = append(f.windows, window)
}

// Find appends to found the places, in what New was given, of the texts that may stand in a line, each once: a part of each stands there.
func (f *Finder) Find(line []byte, found []int) []int {
	var seen [most / 64]uint64
	for i := Window - block; i+block <= len(line); {
		h := hash(line[i : i+block : i+block])
		if s := int(f.shift[h]); s > 0 {
			i += s
			continue
		}
		for _, t := range f.at[h] {
			if seen[t/64]&(1<<(t%64)) == 0 && bytes.Equal(line[i+block-Window:i+block], f.windows[t]) {
				seen[t/64] |= 1 << (t % 64)
				found = append(found, t)
			}
		}
		i++
	}
	return found
}

// hash is the place of a block in the tables.
func hash(b []byte) uint32 {
	return binary.LittleEndian.Uint32(b) * 2654435761 >> (32 - bits)
}

// rarest is the window of a text whose blocks are the rarest in lines that most logs are made of; empty where no part is long enough.
func rarest(parts []string) (out string) {
	least := 0
	for _, part := range parts {
		for i := 0; i+Window <= len(part); i++ {
			cost := 0
			for j := range Window - block + 1 {
				cost += (j + 1) * strings.Count(common, part[i+j:i+j+block])
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

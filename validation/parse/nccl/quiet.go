package nccl

import "hash/maphash"

// quiet remembers messages that say nothing: each rank of a job prints the same ones. A message is kept until another one has its place.
type quiet struct {
	seed   maphash.Seed
	bodies [1 << quietBits][]byte
}

const (
	quietBits = 10
	maxQuiet  = 256 // of a message, in bytes
)

// place is where a message is kept, nil where it is too long or nothing.
func (q *quiet) place(body []byte) *[]byte {
	if len(body) == 0 || len(body) > maxQuiet {
		return nil
	}
	return &q.bodies[maphash.Bytes(q.seed, body)%(1<<quietBits)]
}

// has reports whether a message is known to say nothing.
func (q *quiet) has(body []byte) bool {
	place := q.place(body)
	return place != nil && string(*place) == string(body)
}

// add keeps a message.
func (q *quiet) add(body []byte) {
	if place := q.place(body); place != nil {
		*place = append((*place)[:0], body...)
	}
}

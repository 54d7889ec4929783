// Package source reads what people and tools wrote about infrastructure, and makes it input for the rules.
//
// A file's kind is found in its content. Readers give what a file says in the words of the file: every value keeps its path,
// and Locate adds line and column afterwards. What a file leaves open (an output that is not known yet, an intrinsic, a
// template's expression) is unknown, never absent.
package source

package tree

// Referring gives the node with everything below it coming from the inputs with the given keys, as far as a source
// tells: a property of a resource depends on others.
func (n Node) Referring(keys ...string) Node {
	n.Refers = keys
	if n.Kind == Map {
		children := make(map[string]Node, len(n.keys))
		for key, child := range n.keys {
			children[key] = child.Referring(keys...)
		}
		n.keys = children
	}
	if n.Kind == List {
		items := make([]Node, len(n.items))
		for i, item := range n.items {
			items[i] = item.Referring(keys...)
		}
		n.items = items
	}
	return n
}

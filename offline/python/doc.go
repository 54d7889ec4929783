// Package python builds pinned virtual environments and runs Python programs in them as child processes.
package python

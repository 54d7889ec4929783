package nccl

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/weft-hpc/weft/validation/evidence"
)

// Who set a variable.
const (
	byEnvironment = "environment"
	byFile        = "file"
	byPlugin      = "plugin"
	byOverridden  = "plugin, overridden"
)

// settings are the variables that a log echoes, each with its value and who set it once.
type settings struct {
	found  []*setting
	at     map[settingKey]*setting
	echoed map[string]*setting // by NCCL's own line, which every rank repeats
}

type setting struct {
	evidence.Setting
	hosts hosts
}

type settingKey struct{ name, value, by string }

// hosts is a set of names.
type hosts map[string]bool

func (h hosts) list() []string { return slices.Sorted(maps.Keys(h)) }

// list gives the settings in the order of the log.
func (s *settings) list() []evidence.Setting {
	var out []evidence.Setting
	for _, f := range s.found {
		f.Hosts = f.hosts.list()
		out = append(out, f.Setting)
	}
	return out
}

// has reports whether a host has a setting.
func (s *settings) has(k settingKey, host string) bool {
	f, ok := s.at[k]
	return ok && f.hosts[host]
}

// set keeps a setting.
func (p *Parser) set(at from, n *node, name, value []byte, by string) *setting {
	short := value[:min(len(value), evidence.MaxText)]
	if f := p.settings.at[settingKey{string(name), string(short), by}]; f != nil && f.hosts[n.Host] {
		return f
	}
	if !fabric(name) {
		return nil
	}
	k := settingKey{string(name), string(short), by}
	if by == byEnvironment && p.settings.has(settingKey{k.name, k.value, byPlugin}, n.Host) {
		return nil // NCCL reads what the plugin put into the environment
	}
	f := p.settings.at[k]
	if f == nil {
		if len(p.settings.found) >= maxSettings {
			p.path.Omitted++
			return nil
		}
		f = &setting{Setting: evidence.Setting{Name: k.name, Value: clip(value), By: by, Excerpt: p.quote(at)}, hosts: hosts{}}
		p.settings.at[k] = f
		p.settings.found = append(p.settings.found, f)
	}
	f.hosts[n.Host] = true
	return f
}

// fabrics are how the names of variables begin whose values are kept: those of NCCL, of its plugins and of what they stand on.
var fabrics = []string{"NCCL_", "OFI_NCCL_", "FI_", "NVSHMEM_", "UCX_", "RDMAV_", "TORCH_NCCL_", "SHARP_"}

func fabric(name []byte) bool {
	const longest = 64
	if len(name) > longest || bytes.IndexFunc(name, func(r rune) bool { return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') }) >= 0 {
		return false
	}
	return slices.ContainsFunc(fabrics, func(begin string) bool { return strings.HasPrefix(string(name), begin) })
}

// echo reads NCCL's own line on a variable: `NCCL_NET set by environment to Libfabric.` and `NCCL_IB_HCA set to mlx5_0`.
func (p *Parser) echo(at from, n *node, body []byte) {
	if f := p.settings.echoed[string(body)]; f != nil && f.hosts[n.Host] {
		return
	}
	name, rest, _ := bytes.Cut(body, []byte(" "))
	rest, ok := cutPrefix(rest, "set ")
	if !ok {
		return
	}
	who, value, ok := bytes.Cut(rest, []byte("to "))
	if !ok {
		return
	}
	by := byEnvironment
	if bytes.Contains(who, []byte("file")) || bytes.Contains(who, []byte("conf")) {
		by = byFile
	}
	if f := p.set(at, n, name, bytes.TrimSuffix(value, []byte(".")), by); f != nil && len(p.settings.echoed) < maxSettings {
		p.settings.echoed[string(body)] = f
	}
}

// adding reads the plugin's `NCCL_BUFFSIZE=8388608 to environment`.
func (p *Parser) adding(at from, n *node, rest []byte) {
	name, value, ok := bytes.Cut(rest, []byte("="))
	if ok {
		p.set(at, n, name, bytes.TrimSuffix(value, []byte(" to environment")), byPlugin)
	}
}

// skipping reads the plugin's `NCCL_BUFFSIZE to environment, already set`: a value of the user's stands in the place of the plugin's.
func (p *Parser) skipping(at from, n *node, rest []byte) {
	name, _, ok := bytes.Cut(rest, []byte(" to environment"))
	if ok {
		p.set(at, n, name, nil, byOverridden)
	}
}

// setting reads the forms of plugins before 1.16: `FI_EFA_FORK_SAFE environment variable to 1`, `NCCL_NVLS_CHUNKSIZE to 512KiB`,
// `NCCL_NET_FORCE_FLUSH=0 for Hopper GPUs`.
func (p *Parser) setting(at from, n *node, rest []byte) {
	name := word(rest)
	if before, value, ok := bytes.Cut(name, []byte("=")); ok {
		p.set(at, n, before, value, byPlugin)
		return
	}
	value := after(rest, " to ")
	if len(value) > 0 {
		p.set(at, n, name, word(value), byPlugin)
	}
}

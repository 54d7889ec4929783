package standin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// maker fills templates for one resource.
type maker struct {
	data   Data
	urn    urn.URN
	inputs property.Map
	id     string // empty: not known yet
	// preview says that nothing is made: what is drawn is unknown.
	preview bool
	// generation tells apart what one URN makes: first the thing, then its replacement or its next version.
	generation int
}

var placeholder = regexp.MustCompile(`\{[a-z][a-zA-Z0-9:.-]*\}`)

// value fills a template, or all templates of a list or an object. place makes drawn values differ from one place to
// the next.
func (m maker) value(place string, template any) property.Value {
	switch t := template.(type) {
	case string:
		return m.text(place, t)
	case bool:
		return property.New(t)
	case float64:
		return property.New(t)
	case uint64:
		return property.New(float64(t))
	case int64:
		return property.New(float64(t))
	case []any:
		items := make([]property.Value, len(t))
		for i, item := range t {
			items[i] = m.value(fmt.Sprintf("%s[%d]", place, i), item)
		}
		return property.New(items)
	case map[string]any:
		fields := make(map[string]property.Value, len(t))
		for name, field := range t {
			fields[name] = m.value(place+"."+name, field)
		}
		return property.New(fields)
	}
	return property.New(property.Null)
}

// text fills a template; it is unknown when a part of it is.
func (m maker) text(place, template string) property.Value {
	known, drawn := true, 0
	text := placeholder.ReplaceAllStringFunc(template, func(found string) string {
		drawn++
		part, ok := m.part(fmt.Sprintf("%s#%d", place, drawn), strings.Trim(found, "{}"))
		known = known && ok
		return part
	})
	if !known {
		return property.New(property.Computed)
	}
	return property.New(text)
}

// part gives what stands for a placeholder, and whether that is known.
func (m maker) part(place, name string) (text string, known bool) {
	switch kind, arg, _ := strings.Cut(name, ":"); kind {
	case "id":
		return m.id, m.id != ""
	case "urn.name":
		return m.urn.Name(), true
	case "region":
		return m.data.Region, true
	case "account":
		return m.data.Account, true
	case "partition":
		return partition(m.data.Region), true
	case "zone-id":
		return m.zoneID()
	case "hex":
		n, err := strconv.Atoi(arg)
		return m.draw(place, n), err == nil && !m.preview
	case "uuid":
		x := m.draw(place, 32)
		return fmt.Sprintf("%s-%s-4%s-a%s-%s", x[:8], x[8:12], x[13:16], x[17:20], x[20:]), !m.preview
	case "ip":
		return m.address(place, arg), !m.preview
	default:
		return m.input(strings.TrimPrefix(kind, "in."))
	}
}

// input gives an input as text. A missing one is empty.
func (m maker) input(name string) (string, bool) {
	v := m.inputs.Get(name)
	if v.IsString() {
		return v.AsString(), true
	}
	return "", !v.HasComputed()
}

func (m maker) zoneID() (string, bool) {
	if given, known := m.input("availabilityZoneId"); given != "" || !known {
		return given, known
	}
	zone, known := m.input("availabilityZone")
	if zone == "" {
		zone = m.data.Region + "a"
	}
	if !known {
		return "", false
	}
	if id, ok := m.data.Zones[zone]; ok {
		return id, true
	}
	return ZoneID(zone), true
}

// ZoneID gives the id that the letter of a zone decides: us-west-2b is usw2-az2.
func ZoneID(zone string) string {
	if zone == "" {
		return ""
	}
	region, letter := zone[:len(zone)-1], zone[len(zone)-1]
	return fmt.Sprintf("%s-az%d", shortRegion(region), int(letter-'a')+1)
}

// draw gives n hex digits (64 at most) that belong to this resource and place.
func (m maker) draw(place string, n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s|%s|%d", m.urn, place, m.generation))
	return hex.EncodeToString(sum[:])[:n]
}

// address gives an address of the wanted kind; public ones are from the block for documentation (RFC 5737).
func (m maker) address(place, kind string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s|%s|%d", m.urn, place, m.generation))
	if kind == "public" {
		return fmt.Sprintf("203.0.113.%d", 1+int(sum[0])%254)
	}
	return fmt.Sprintf("10.0.%d.%d", sum[0], 4+int(sum[1])%250)
}

// partition gives the partition of a region, as it stands in ARNs.
func partition(region string) string {
	switch {
	case strings.HasPrefix(region, "cn-"):
		return "aws-cn"
	case strings.HasPrefix(region, "us-gov-"):
		return "aws-us-gov"
	}
	return "aws"
}

// shortRegion gives the form of a region that stands in zone ids: us-west-2 gives usw2, us-gov-west-1 gives usgw1.
func shortRegion(region string) string {
	words := strings.Split(region, "-")
	var short strings.Builder
	for i, word := range words {
		if i == 0 || i == len(words)-1 || word == "" {
			short.WriteString(word)
			continue
		}
		short.WriteString(abbreviation(word))
	}
	return short.String()
}

func abbreviation(direction string) string {
	switch direction {
	case "northeast":
		return "ne"
	case "northwest":
		return "nw"
	case "southeast":
		return "se"
	case "southwest":
		return "sw"
	}
	return direction[:1]
}

package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-hpc/weft/fabric/market"
	"github.com/weft-hpc/weft/fabric/market/markettest"
)

// wire is as much of EC2 and of the Parameter Store as the capacity commands call, over the made-up market: the region is
// the one that a request is signed for.
type wire struct {
	market markettest.Market

	mu         sync.Mutex
	extended   []string // offerings that were bought
	parameters map[string]string
	calls      []string
}

func newWire(t testing.TB) (*wire, *httptest.Server) {
	t.Helper()
	w := &wire{market: markettest.New(t), parameters: map[string]string{}}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	return w, server
}

// The block of the account: bought by weft, active from 7 December on.
const (
	wireBlock     = "cr-0123456789abcdef0"
	wireExtension = "cbe-0123456789abcdef0"
)

func (w *wire) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	if target := r.Header.Get("X-Amz-Target"); target != "" {
		w.store(out, strings.TrimPrefix(target, "AmazonSSM."), body)
		return
	}
	form, _ := url.ParseQuery(string(body))
	action := form.Get("Action")
	w.calls = append(w.calls, action)
	region := regionOf(r)
	answer := map[string]func() string{
		"DescribeAvailabilityZones":               func() string { return w.zones(region) },
		"DescribeCapacityBlockOfferings":          func() string { return w.offerings(form, region) },
		"DescribeCapacityReservations":            func() string { return w.reservations(region) },
		"DescribeInstances":                       func() string { return instances(region) },
		"DescribeLaunchTemplateVersions":          func() string { return "" },
		"DescribeCapacityBlockStatus":             func() string { return "" },
		"DescribeCapacityBlockExtensionHistory":   func() string { return w.history() },
		"DescribeCapacityBlockExtensionOfferings": func() string { return w.extensions(form) },
		"PurchaseCapacityBlockExtension":          func() string { return w.buy(form) },
	}[action]
	if region == "ap-south-2" || answer == nil {
		out.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(out, "<Response><Errors><Error><Code>AuthFailure</Code><Message>not enabled</Message></Error></Errors></Response>")
		return
	}
	out.Header().Set("Content-Type", "text/xml")
	_, _ = fmt.Fprintf(out, "<%sResponse>%s</%sResponse>", action, answer(), action)
}

// regionOf reads the scope of a signature: Credential=KEY/DATE/REGION/SERVICE/aws4_request.
func regionOf(r *http.Request) string {
	_, scope, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	parts := strings.Split(scope, "/")
	if len(parts) < 3 {
		return ""
	}
	return parts[2]
}

// tag is one element of an answer.
func tag(name, text string) string {
	var escaped strings.Builder
	_ = xml.EscapeText(&escaped, []byte(text))
	return "<" + name + ">" + escaped.String() + "</" + name + ">"
}

func set(name string, items []string) string {
	return "<" + name + ">" + strings.Join(items, "") + "</" + name + ">"
}

func item(elements ...string) string { return "<item>" + strings.Join(elements, "") + "</item>" }

func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func (w *wire) zones(region string) string {
	var out []string
	for _, z := range w.market.Zones {
		if z.Region == region {
			status := "opt-in-not-required"
			if !z.OptedIn {
				status = "not-opted-in"
			}
			out = append(out, item(tag("zoneName", z.Name), tag("zoneId", z.ID), tag("optInStatus", status)))
		}
	}
	return set("availabilityZoneInfo", out)
}

func (w *wire) offerings(form url.Values, region string) string {
	var out []string
	for _, o := range w.market.Offerings {
		if o.Region == region && answersForm(o, form) {
			out = append(out, item(
				tag("capacityBlockOfferingId", o.ID), tag("instanceType", o.InstanceType), tag("availabilityZone", o.Zone),
				tag("instanceCount", strconv.Itoa(o.Count)), tag("startDate", moment(o.Start)), tag("endDate", moment(o.End)),
				tag("capacityBlockDurationHours", strconv.Itoa(int(o.Real().Hours()))), tag("upfrontFee", o.Fee.Decimal()), tag("currencyCode", o.Fee.Currency()),
			))
		}
	}
	return set("capacityBlockOfferingSet", out)
}

func answersForm(o market.Offering, form url.Values) bool {
	from, _ := time.Parse(time.RFC3339, form.Get("StartDateRange"))
	until, _ := time.Parse(time.RFC3339, form.Get("EndDateRange"))
	return o.InstanceType == form.Get("InstanceType") && strconv.Itoa(o.Count) == form.Get("InstanceCount") &&
		strconv.Itoa(o.AskedHours) == form.Get("CapacityDurationHours") && !o.Start.Before(from) && !o.End.After(until)
}

func (w *wire) reservations(region string) string {
	if region != "us-east-2" {
		return set("capacityReservationSet", nil)
	}
	i := slices.IndexFunc(w.market.Offerings, func(o market.Offering) bool { return o.ID == "cb-4747652274a1e5395" })
	o := w.market.Offerings[i]
	var tags []string
	for _, kv := range [][2]string{
		{"weft:project", "train"},
		{"weft:stack", "prod"},
		{"weft:name", "block"},
		{"weft:offering", o.ID},
		{"weft:fee", o.Fee.Decimal()},
		{"weft:currency", o.Fee.Currency()},
	} {
		tags = append(tags, item(tag("key", kv[0]), tag("value", kv[1])))
	}
	return set("capacityReservationSet", []string{item(
		tag("capacityReservationId", wireBlock), tag("reservationType", "capacity-block"), tag("instanceType", o.InstanceType), tag("instancePlatform", "Linux/UNIX"),
		tag("availabilityZone", o.Zone), tag("availabilityZoneId", o.ZoneID), tag("state", "active"), tag("startDate", moment(o.Start)), tag("endDate", moment(o.End)),
		tag("createDate", moment(markettest.Now)), tag("totalInstanceCount", "16"), tag("availableInstanceCount", "15"), set("tagSet", tags),
	)})
}

// instances are one within the block and one beside it.
func instances(region string) string {
	if region != "us-east-2" {
		return set("reservationSet", nil)
	}
	launched := moment(time.Date(2026, 12, 9, 12, 0, 0, 0, time.UTC))
	running := func(id string, more ...string) string {
		return item(append(more, tag("instanceId", id), tag("instanceType", "p6-b200.48xlarge"), tag("launchTime", launched),
			"<placement>"+tag("availabilityZone", "us-east-2b")+"</placement>", "<instanceState>"+tag("name", "running")+"</instanceState>")...)
	}
	return set("reservationSet", []string{item(set("instancesSet", []string{
		running("i-0123456789abcdef0", tag("capacityReservationId", wireBlock)), running("i-0123456789abcdef1"),
	}))})
}

var oldEnd, newEnd = time.Date(2026, 12, 21, 11, 30, 0, 0, time.UTC), time.Date(2026, 12, 28, 11, 30, 0, 0, time.UTC)

func (w *wire) history() string {
	var out []string
	for _, id := range w.extended {
		out = append(out, extension(id))
	}
	return set("capacityBlockExtensionSet", out)
}

func extension(id string) string {
	return item(tag("capacityBlockExtensionOfferingId", id), tag("capacityReservationId", wireBlock), tag("capacityBlockExtensionStatus", "payment-pending"),
		tag("capacityBlockExtensionStartDate", moment(oldEnd)), tag("capacityBlockExtensionEndDate", moment(newEnd)), tag("upfrontFee", "200000.50"), tag("currencyCode", "USD"))
}

func (w *wire) extensions(form url.Values) string {
	if form.Get("CapacityBlockExtensionDurationHours") != "168" || len(w.extended) > 0 {
		return set("capacityBlockExtensionOfferingSet", nil)
	}
	return set("capacityBlockExtensionOfferingSet", []string{item(
		tag("capacityBlockExtensionOfferingId", wireExtension), tag("capacityBlockExtensionDurationHours", "168"), tag("instanceType", "p6-b200.48xlarge"),
		tag("instanceCount", "16"), tag("availabilityZone", "us-east-2b"), tag("capacityBlockExtensionStartDate", moment(oldEnd)),
		tag("capacityBlockExtensionEndDate", moment(newEnd)), tag("upfrontFee", "200000.50"), tag("currencyCode", "USD"),
	)})
}

func (w *wire) buy(form url.Values) string {
	w.extended = append(w.extended, form.Get("CapacityBlockExtensionOfferingId"))
	return set("capacityBlockExtensionSet", []string{extension(form.Get("CapacityBlockExtensionOfferingId"))})
}

// store is the Parameter Store.
func (w *wire) store(out http.ResponseWriter, action string, body []byte) {
	w.calls = append(w.calls, action)
	var in struct{ Name, Value, Path string }
	_ = json.Unmarshal(body, &in)
	out.Header().Set("Content-Type", "application/x-amz-json-1.1")
	var answer any = struct{}{}
	switch _, there := w.parameters[in.Name]; {
	case action == "PutParameter" && there:
		out.WriteHeader(http.StatusBadRequest)
		answer = map[string]string{"__type": "ParameterAlreadyExists"}
	case action == "PutParameter":
		w.parameters[in.Name] = in.Value
	case action == "GetParametersByPath":
		list := []map[string]string{}
		for name, value := range w.parameters {
			if strings.HasPrefix(name, in.Path+"/") {
				list = append(list, map[string]string{"Name": name, "Value": value})
			}
		}
		answer = map[string]any{"Parameters": list}
	}
	_ = json.NewEncoder(out).Encode(answer)
}

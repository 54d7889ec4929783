package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// places is as much of EC2 as the topology command calls: a cluster of two nodes, each in a block of its own.
type places struct{ calls []string }

func (p *places) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	form, _ := url.ParseQuery(string(body))
	action := form.Get("Action")
	p.calls = append(p.calls, action)
	answers := map[string]string{
		"DescribeInstances": "<reservationSet>" + p.launched(form) + "</reservationSet>",
		"DescribeInstanceTopology": "<instanceSet>" + `<item><instanceId>i-0aaaaaaaaaaaaaaa1</instanceId><instanceType>p5en.48xlarge</instanceType><zoneId>use2-az1</zoneId>
			<networkNodeSet><item>nn-1</item><item>nn-2</item><item>nn-3</item></networkNodeSet></item>
			<item><instanceId>i-0aaaaaaaaaaaaaaa2</instanceId><instanceType>p5en.48xlarge</instanceType><zoneId>use2-az1</zoneId>
			<networkNodeSet><item>nn-1</item><item>nn-4</item><item>nn-5</item></networkNodeSet></item></instanceSet>`,
		"DescribeCapacityReservationTopology": `<capacityReservationSet><item><capacityReservationId>cr-0aaaaaaaaaaaaaaa1</capacityReservationId><state>active</state>
			<networkNodeSet><item>nn-1</item><item>nn-2</item></networkNodeSet></item></capacityReservationSet>`,
	}
	out.Header().Set("Content-Type", "text/xml")
	_, _ = fmt.Fprintf(out, "<%sResponse>%s</%sResponse>", action, answers[action], action)
}

func (p *places) launched(form url.Values) string {
	if form.Get("Filter.1.Value.1") == "nobody" {
		return ""
	}
	var b strings.Builder
	for n := 1; n <= 2; n++ {
		fmt.Fprintf(&b, `<item><ownerId>111122223333</ownerId><instancesSet><item><instanceId>i-0aaaaaaaaaaaaaaa%d</instanceId><instanceType>p5en.48xlarge</instanceType>
			<privateDnsName>ip-10-1-0-%d.us-east-2.compute.internal</privateDnsName><privateIpAddress>10.1.0.%d</privateIpAddress>
			<instanceState><name>running</name></instanceState><instanceLifecycle>capacity-block</instanceLifecycle>
			<capacityReservationId>cr-0aaaaaaaaaaaaaaa%d</capacityReservationId>
			<tagSet><item><key>parallelcluster:node-type</key><value>Compute</value></item></tagSet></item></instancesSet></item>`, n, 30+n, 30+n, n)
	}
	return b.String()
}

// TestTopologyAsksEC2: --cluster and --block, with Slurm's names from a file beside.
func TestTopologyAsksEC2(t *testing.T) {
	ec2 := &places{}
	server := httptest.NewServer(ec2)
	t.Cleanup(server.Close)
	for key, value := range map[string]string{
		"AWS_ENDPOINT_URL": server.URL, "AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any", "AWS_REGION": "us-east-2",
		"AWS_CONFIG_FILE": filepath.Join(t.TempDir(), "none"), "AWS_SHARED_CREDENTIALS_FILE": filepath.Join(t.TempDir(), "none"),
	} {
		t.Setenv(key, value)
	}
	nodes := "NodeName=gpu-1 NodeAddr=10.1.0.32\nNodeName=gpu-2 NodeAddr=10.1.0.31\n"
	for name, tt := range map[string]struct {
		args   []string
		code   int
		stdout []string
		stderr string
	}{
		"a cluster": {[]string{"--cluster", "train"}, exitClean, []string{
			"└── ip-10-1-0-31.us-east-2.compute.internal  i-0aaaaaaaaaaaaaaa1", "  2 levels apart ", "block/several",
		}, ""},
		"hosts": {[]string{"--cluster", "train", "-", "-o", "hostfile"}, exitClean, []string{"gpu-1\ngpu-2\n"}, "block/several"},
		"blocks": {[]string{"--block", "cr-0aaaaaaaaaaaaaaa1", "--block", "cr-0aaaaaaaaaaaaaaa2"}, exitClean, []string{
			"cr-0aaaaaaaaaaaaaaa1  cr-0aaaaaaaaaaaaaaa2  1 network node in common", "topo/unknown  cr-0aaaaaaaaaaaaaaa2",
		}, ""},
		"no cluster": {[]string{"--cluster", "nobody"}, exitFailed, nil, "weft: cluster nobody has no instance in us-east-2 that runs"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), append([]string{"topology"}, tt.args...), streams{strings.NewReader(nodes), &stdout, &stderr})
			require.Equal(t, tt.code, code, stderr.String())
			for _, want := range tt.stdout {
				require.Contains(t, stdout.String(), want)
			}
			require.Contains(t, stderr.String(), tt.stderr)
			require.NotContains(t, stdout.String()+stderr.String(), "111122223333")
		})
	}
	require.Contains(t, ec2.calls, "DescribeCapacityReservationTopology")
}

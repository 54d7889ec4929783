package sweep_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/weft-hpc/weft/fabric/diag/diagtest"
	"github.com/weft-hpc/weft/validation/parse/sweep"
)

// file makes a JSON file of a run with one row; with and without replace parts of it.
func file(replace ...string) string {
	const whole = `{"version":3,"start_time":"2026-09-18 04:02:11","args":["\/opt\/all_reduce_perf","-J","x.json"],"env":["PATH=\/usr\/bin","NCCL_DEBUG=INFO"],` +
		`"nccl_version":23102,"config":{"nthreads":1,"ngpus":2,"minimum_bytes":1024,"maximum_bytes":2048,"step_factor":2,"warmup_iters":1,"iterations":20,` +
		`"validation":1,"graph":0,"blocking_collectives":"false","per_iter_timing":"false","parallel_init":"false",` +
		`"devices":[{"rank":0,"group":0,"pid":1,"hostname":"vm","device":0,"device_hex":"0000:53:00","device_info":"NVIDIA H200"}]},` +
		`"results":[{"size":1024,"count":256,"type":"float","redop":"sum","root":"    -1",` +
		`"out_of_place":{"time":10.5,"alg_bw":1.5,"bus_bw":2.5,"nwrong":0.000000},"in_place":{"time":11.5,"alg_bw":3.5,"bus_bw":4.5,"nwrong":null},` +
		`"actual_iterations":20,"experiment_name":""}],"out_of_bounds":{"count":0,"okay":"true"},` +
		`"average_bus_bandwidth":{"bandwidth":3.5,"okay":"unchecked"},"errors":[""],"end_time":"2026-09-18 04:02:39"}`
	return strings.NewReplacer(replace...).Replace(whole)
}

func TestJSON(t *testing.T) {
	t.Parallel()
	const whole = "1024 float 10.5 11.5?"
	for name, c := range map[string]struct {
		text     string
		want     string
		complete bool
		faults   []string // a part of what each finding found, and where
	}{
		"as written":          {file(), whole, true, nil},
		"with a line end":     {file() + "\n", whole, true, nil},
		"NaN":                 {file(`"alg_bw":1.5`, `"alg_bw":"nan"`), "1024 float none 11.5?", true, []string{"results[0].out_of_place.alg_bw"}},
		"a count of the past": {file(`"nwrong":null`, `"nwrong":17`), "1024 float 10.5 11.5", true, nil},
		"half a count":        {file(`"nwrong":null`, `"nwrong":17.5`), whole, true, []string{"results[0].in_place.nwrong"}},
		"no half out of place": {
			file(`"out_of_place":{"time":10.5,"alg_bw":1.5,"bus_bw":2.5,"nwrong":0.000000}`, `"out_of_place":null`), "1024 float none 11.5?", true, nil,
		},
		"nothing":               {"", "", false, []string{"ends at byte 0", "no key"}},
		"another object":        {`{"a":[{"b":{}}]}`, "", false, []string{"no key"}},
		"a list":                {`[1]`, "", false, []string{"a value of another kind", "no key"}},
		"not JSON":              {file(`"results"`, `results`), "", false, []string{"not JSON at byte"}},
		"infinite":              {file(`"bus_bw":4.5`, `"bus_bw":inf`), "", false, []string{"not JSON at byte"}},
		"a later version":       {file(`"version":3`, `"version":7`), whole, true, []string{"version"}},
		"two files in one":      {file() + file(), whole, true, []string{"more behind the end"}},
		"a run that was ended":  {file(`,"out_of_bounds":{"count":0,"okay":"true"}`, ``), whole, false, nil},
		"no average":            {file(`"average_bus_bandwidth"`, `"other"`), whole, false, nil},
		"results of other kind": {file(`"results":[`, `"results":{"a":[`, `,"out_of_bounds"`, `},"out_of_bounds"`), "", true, []string{"results"}},
		"a row without type":    {file(`"type":"float",`, ``), "", true, []string{"results[0]"}},
		"a size of nothing":     {file(`"size":1024`, `"size":0`), "", true, nil},
		"nested deep":           {`{"version":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "}", "", false, []string{"version", "nested deeper"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, faults, err := sweep.ReadJSON("ar.json", iotest.OneByteReader(strings.NewReader(c.text)))
			require.NoError(t, err)
			require.Equal(t, c.want, halves(got.Rows))
			require.Equal(t, c.complete, got.Complete)
			require.Len(t, faults, len(c.faults), "%v", faults)
			for i, f := range faults {
				require.Contains(t, f.Place.Path+" "+f.Got, c.faults[i])
			}
			diagtest.Complete(t, faults)
		})
	}
}

func TestJSONTells(t *testing.T) {
	t.Parallel()
	got, faults, err := sweep.ReadJSON("ar.json", strings.NewReader(file(
		`"graph":0`, `"graph":1`, `"blocking_collectives":"false"`, `"blocking_collectives":"true"`, `"time":11.5`, `"cpu_time":11.5`,
		`"okay":"unchecked"`, `"okay":"false"`, `"errors":[""]`, `"errors":["remote process exited"]`)))
	require.NoError(t, err)
	require.Empty(t, faults)
	require.Equal(t, []string{"blocking", "cpu-time", "graph"}, got.Asked.Modes)
	require.Equal(t, "FAILED", got.AverageVerdict)
	require.Equal(t, "remote process exited", got.Failures[0].Text)
	require.Equal(t, 2, got.RankCount, "two GPUs of one process, of which one is listed")
	require.Len(t, got.Ranks, 1)
	require.Equal(t, "results[0]", got.Rows[0].Text)
}

func TestJSONPassesTheReadersErrorOn(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken pipe")
	got, faults, err := sweep.ReadJSON("ar.json", io.MultiReader(strings.NewReader(file()[:600]), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	require.Empty(t, faults)
	require.Equal(t, "all_reduce_perf", got.Program)
}

// TestNothingSecretComesOutOfAJSONFile puts secrets wherever the program's dump of its environment and command line has room for them.
func TestNothingSecretComesOutOfAJSONFile(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t-value"
	env := []string{
		"AWS_SECRET_ACCESS_KEY=" + secret, "WANDB_API_KEY=" + secret, "HOME=/home/" + secret, "SLURM_JWT=" + secret,
		"PATH=" + secret, "BASH_FUNC_x%%=() { NCCL_DEBUG=" + secret + " }", "XNCCL_DEBUG=" + secret, "nccl_debug=" + secret, secret, "=" + secret,
		"NCCL_API_TOKEN=" + secret, "FI_OPENAI_API_KEY=" + secret, "OFI_PASSWORD=" + secret, "NCCL_DEBUG " + secret + "=1", "UCX_AUTH=" + secret,
		"SLURM_JOB_ACCOUNT=" + secret, "DATABASE_URL=postgres://u:" + secret + "@h/d", "MULTI=a\\nNCCL_DEBUG=" + secret, "NCCL_é" + secret + "=1",
	}
	quoted := strings.Join(env, `","`)
	shapes := map[string]string{
		"in the environment":        file(`"PATH=\/usr\/bin"`, `"`+quoted+`"`),
		"on the command line":       file(`"x.json"`, `"`+secret+`"`),
		"in the file's end":         file() + `"` + secret + `"`,
		"an environment of objects": file(`"PATH=\/usr\/bin"`, `{"`+secret+`":"`+secret+`"},["`+secret+`"]`),
		"an environment of words":   file(`"env":["PATH=\/usr\/bin","NCCL_DEBUG=INFO"]`, `"env":{"`+secret+`":"`+secret+`"}`),
		"an unknown key":            file(`"start_time"`, `"`+secret+`"`),
		"in place of a number":      file(`"alg_bw":1.5`, `"alg_bw":"`+secret+`"`, `"size":1024`, `"size":"`+secret+`"`),
		"cut off":                   file(`"PATH=\/usr\/bin"`, `"`+quoted+`"`)[:700],
	}
	for name, text := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, faults, err := sweep.ReadJSON("ar.json", strings.NewReader(text))
			require.NoError(t, err)
			out, err := json.Marshal(struct{ A, B any }{got, faults})
			require.NoError(t, err)
			require.NotContains(t, string(out)+fmt.Sprintf("%+v", got), secret)
		})
	}
	for at := range shapes["in the environment"] {
		got, faults, err := sweep.ReadJSON("ar.json", strings.NewReader(shapes["in the environment"][:at]))
		require.NoError(t, err)
		require.NotContains(t, fmt.Sprintf("%+v %+v", got, faults), secret)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	keep := []string{
		"NCCL_IB_PKEY=1", "NCCL_DEBUG=INFO", "OFI_NCCL_PROTOCOL=SENDRECV", "FI_PROVIDER=efa", "NVSHMEM_REMOTE_TRANSPORT=libfabric", "SLURM_CPUS_PER_TASK=24",
		"SLURM_NTASKS_PER_NODE=8", "RDMAV_FORK_SAFE=1", "UCX_NET_DEVICES=mlx5_0:1", "NCCL_SOCKET_IFNAME=", "NCCL_DEBUG_FILE=a=b",
	}
	got, _, err := sweep.ReadJSON("ar.json", strings.NewReader(file(`"PATH=\/usr\/bin","NCCL_DEBUG=INFO"`, `"`+strings.Join(keep, `","`)+`"`)))
	require.NoError(t, err)
	var out []string
	for _, s := range got.Settings {
		require.Equal(t, "environment", s.By)
		require.Equal(t, "ar.json", s.File)
		out = append(out, s.Name+"="+s.Value)
	}
	require.Equal(t, keep, out)
}

// iterations makes the value of per_process_max_times_us.
func iterations(processes, each int) string {
	var b strings.Builder
	for p := range processes {
		b.WriteString(map[bool]string{true: "[", false: ",["}[p == 0])
		for i := range each {
			fmt.Fprintf(&b, "%s%d.5", map[bool]string{true: "", false: ","}[i == 0], 100+p+i)
		}
		b.WriteString("]")
	}
	return "[" + b.String() + "]"
}

func spreadFile(times string) string {
	return file(`"in_place":`, `"out_of_place_per_iter":{"skipped_iterations":0,"min_us":1.5,"max_us":9.5,"avg_us":5,"p50_us":4.5,"p95_us":8.5,"p99_us":9.5,`+
		`"stdev_us":1,"cv_pct":20.5,"times_us":[1.5,9.5],"per_process_max_times_us":`+times+`},"in_place":`)
}

func TestTimesByRank(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		times          string
		lists, medians int
		faults         int
	}{
		"few":                {iterations(2, 20), 2, 0, 0},
		"as many as kept":    {iterations(64, 64), 64, 0, 0},
		"more than are kept": {iterations(65, 64), 0, 65, 0},
		"one":                {iterations(1, 1), 1, 0, 0},
		"none":               {"[]", 0, 0, 0},
		"null":               {"null", 0, 0, 0},
		"NaN in one":         {`[[1,2],[1,"nan"]]`, 0, 0, 1},
		"null in one":        {`[[1,2],[1,null]]`, 0, 0, 1},
		"an empty one":       {`[[1,2],[]]`, 0, 0, 1},
		"numbers":            {`[1,2]`, 0, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, faults, err := sweep.ReadJSON("ar.json", strings.NewReader(spreadFile(c.times)))
			require.NoError(t, err)
			require.Len(t, faults, c.faults)
			require.True(t, got.Complete)
			i := got.Rows[0].OutOfPlace.Iterations
			require.Equal(t, []float64{1.5, 9.5, 4.5, 8.5, 9.5, 20.5}, []float64{i.MinUS, i.MaxUS, i.P50US, i.P95US, i.P99US, i.CVPercent})
			require.Len(t, i.ByRankUS, c.lists)
			require.Len(t, i.MedianByRankUS, c.medians)
		})
	}
	got, _, err := sweep.ReadJSON("ar.json", strings.NewReader(spreadFile(iterations(65, 64))))
	require.NoError(t, err)
	require.Equal(t, []float64{132.5, 133.5, 134.5}, got.Rows[0].OutOfPlace.Iterations.MedianByRankUS[:3])
}

func TestAValueWithoutEnd(t *testing.T) {
	t.Parallel()
	endless := io.MultiReader(strings.NewReader(`{"version":3,"args":["`), &repeat{"a"})
	got, faults, err := sweep.ReadJSON("ar.json", endless)
	require.NoError(t, err)
	require.Len(t, faults, 1)
	require.Contains(t, faults[0].Got, "one value longer than")
	require.False(t, got.Complete)
}

// repeat is a reader without end.
type repeat struct{ text string }

func (r *repeat) Read(b []byte) (int, error) {
	n := 0
	for n < len(b) {
		n += copy(b[n:], r.text)
	}
	return n, nil
}

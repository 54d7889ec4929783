package journal_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/account/journal"
	"github.com/weft-hpc/weft/fabric/market"
)

// store is a Parameter Store in memory that answers in pages of two.
type store struct {
	mu     sync.Mutex
	values map[string]string
	names  []string
	fail   error
}

func (s *store) PutParameter(_ context.Context, in *ssm.PutParameterInput, _ ...func(*ssm.Options)) (*ssm.PutParameterOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := aws.ToString(in.Name)
	if s.fail != nil {
		return nil, s.fail
	}
	if _, taken := s.values[name]; taken {
		if aws.ToBool(in.Overwrite) {
			return nil, errors.New("an entry is overwritten")
		}
		return nil, fmt.Errorf("operation error SSM: PutParameter: %w", &types.ParameterAlreadyExists{})
	}
	s.values[name], s.names = aws.ToString(in.Value), append(s.names, name)
	return &ssm.PutParameterOutput{}, nil
}

func (s *store) GetParametersByPath(_ context.Context, in *ssm.GetParametersByPathInput, _ ...func(*ssm.Options)) (*ssm.GetParametersByPathOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return nil, s.fail
	}
	var found []types.Parameter
	for _, name := range s.names {
		if rest, below := strings.CutPrefix(name, aws.ToString(in.Path)+"/"); below && !strings.Contains(rest, "/") {
			found = append(found, types.Parameter{Name: aws.String(name), Value: aws.String(s.values[name])})
		}
	}
	from := 0
	_, _ = fmt.Sscan(aws.ToString(in.NextToken), &from)
	out := &ssm.GetParametersByPathOutput{Parameters: found[from:min(from+2, len(found))]}
	if from+2 < len(found) {
		out.NextToken = aws.String(fmt.Sprint(from + 2))
	}
	return out, nil
}

func newStore() *store { return &store{values: map[string]string{}} }

func entry(t *testing.T, sequence int) capacity.Entry {
	t.Helper()
	fee, err := market.ParseMoney("412196.27", "USD")
	require.NoError(t, err)
	return capacity.Entry{
		Sequence: sequence, Kind: capacity.Intended, Nonce: "0a1b2c3d", At: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC),
		Offering: "cb-4747652274a1e5395", Fee: fee, End: time.Date(2026, 12, 21, 11, 30, 0, 0, time.UTC),
	}
}

func TestLastOfMany(t *testing.T) {
	t.Parallel()
	s := newStore()
	j := journal.New(s)
	last, err := j.Last(t.Context(), "llama/prod/train")
	require.NoError(t, err)
	require.Zero(t, last)
	for n := 1; n <= 12; n++ {
		require.NoError(t, j.Append(t.Context(), "llama/prod/train", entry(t, n)))
	}
	require.NoError(t, j.Append(t.Context(), "llama/prod/train/2", entry(t, 40)))
	require.NoError(t, j.Append(t.Context(), "llama/prod/trainer", entry(t, 41)))
	last, err = j.Last(t.Context(), "llama/prod/train")
	require.NoError(t, err)
	require.Equal(t, entry(t, 12), last)
	require.Contains(t, s.names, "/weft/purchases/llama/prod/train/00000012")
	require.Contains(t, s.names, "/weft/purchases/llama/prod/train_2f2/00000040")
}

func TestOneWriterGetsANumber(t *testing.T) {
	t.Parallel()
	j := journal.New(newStore())
	var wrote, taken atomic.Int32
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			switch err := j.Append(context.Background(), "a/b/c", entry(t, 1)); {
			case err == nil:
				wrote.Add(1)
			case errors.Is(err, capacity.ErrTaken):
				taken.Add(1)
			}
		})
	}
	all.Wait()
	require.Equal(t, int32(1), wrote.Load())
	require.Equal(t, int32(49), taken.Load())
}

func TestFailures(t *testing.T) {
	t.Parallel()
	s := newStore()
	s.fail = errors.New("AccessDeniedException")
	j := journal.New(s)
	_, err := j.Last(t.Context(), "a/b/c")
	require.ErrorContains(t, err, "reading the parameters below /weft/purchases/a/b/c: AccessDeniedException")
	err = j.Append(t.Context(), "a/b/c", entry(t, 1))
	require.ErrorContains(t, err, "writing parameter /weft/purchases/a/b/c/00000001: AccessDeniedException")
	require.NotErrorIs(t, err, capacity.ErrTaken)
}

// Whatever stands there that is no entry stops a purchase.
func TestUnreadableEntries(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"/weft/purchases/a/b/c/00000001": "no JSON",
		"/weft/purchases/a/b/c/00000002": `{"sequence": 3, "kind": "bought"}`,
		"/weft/purchases/a/b/c/00000003": `{"sequence": 3}`,
		"/weft/purchases/a/b/c/notes":    `{"sequence": 0, "kind": "bought"}`,
		"/weft/purchases/a/b/c/00000004": `{"sequence": 4, "kind": "bought", "fee": {"amount": "-1", "currency": "USD"}}`,
	}
	for name, value := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore()
			s.values[name], s.names = value, []string{name}
			_, err := journal.New(s).Last(t.Context(), "a/b/c")
			require.ErrorContains(t, err, name)
		})
	}
}

// Two keys never share a folder, and no folder lies in another one's: a journal has what was written under its key alone.
func TestKeysStayApart(t *testing.T) {
	t.Parallel()
	require.Equal(t, "/weft/purchases/a.b/dev-1/x_2fy_5fz_20_c3_a9", journal.Folder("a.b/dev-1/x/y_z é"))
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[a-z._-]{1,4}/[a-z._-]{1,4}/[a-z0-9_/é -]{0,8}`)
		one, two := key.Draw(t, "one"), key.Draw(t, "two")
		if one == two {
			return
		}
		require.NotEqual(t, journal.Folder(one), journal.Folder(two))
		require.Regexp(t, `^/weft/purchases(/[a-zA-Z0-9._-]*){3}$`, journal.Folder(one))
	})
}

package journal_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"github.com/weft-hpc/weft/account/capacity"
	"github.com/weft-hpc/weft/account/capacity/journal"
	"github.com/weft-hpc/weft/fabric/market"
)

// store is a Parameter Store in memory, with two parameters a page.
type store struct {
	mu     sync.Mutex
	calls  []string // IAM actions
	values map[string]string
	fail   error
}

func (s *store) PutParameter(_ context.Context, in *ssm.PutParameterInput, _ ...func(*ssm.Options)) (*ssm.PutParameterOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, "ssm:PutParameter")
	if s.fail != nil {
		return nil, s.fail
	}
	name := aws.ToString(in.Name)
	if strings.Trim(name, "/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") != "" || len(name) > 1011 {
		return nil, &smithy.GenericAPIError{Code: "ValidationException", Message: name}
	}
	if _, is := s.values[name]; is && !aws.ToBool(in.Overwrite) {
		return nil, &smithy.GenericAPIError{Code: "ParameterAlreadyExists"}
	}
	s.values[name] = aws.ToString(in.Value)
	return &ssm.PutParameterOutput{}, nil
}

func (s *store) GetParametersByPath(_ context.Context, in *ssm.GetParametersByPathInput, _ ...func(*ssm.Options)) (*ssm.GetParametersByPathOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, "ssm:GetParametersByPath")
	if s.fail != nil {
		return nil, s.fail
	}
	var names []string
	for name := range s.values {
		if rest, ok := strings.CutPrefix(name, aws.ToString(in.Path)+"/"); ok && !strings.Contains(rest, "/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	from, _ := strconv.Atoi(aws.ToString(in.NextToken))
	out := &ssm.GetParametersByPathOutput{}
	for i := from; i < min(from+2, len(names)); i++ {
		out.Parameters = append(out.Parameters, types.Parameter{Name: aws.String(names[i]), Value: aws.String(s.values[names[i]])})
	}
	if from+2 < len(names) {
		out.NextToken = aws.String(strconv.Itoa(from + 2))
	}
	return out, nil
}

func journals(t *testing.T) map[string]capacity.Journal {
	t.Helper()
	return map[string]capacity.Journal{
		"parameters": journal.Parameters{SSM: &store{values: map[string]string{}}},
		"folder":     journal.Folder{Path: filepath.Join(t.TempDir(), "not", "there")},
	}
}

func entry(n int, nonce string) capacity.Entry {
	fee, _ := market.ParseMoney("412196.27", "USD")
	return capacity.Entry{
		Sequence: n, Kind: capacity.Intended, Nonce: nonce, At: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC), Offering: "cb-1", Fee: fee,
		End: time.Date(2026, 12, 21, 11, 30, 0, 0, time.UTC),
	}
}

func TestJournal(t *testing.T) {
	for name, j := range journals(t) {
		t.Run(name, func(t *testing.T) {
			last, err := j.Last(t.Context(), "train/prod/block")
			require.NoError(t, err)
			require.Zero(t, last.Sequence)
			for n := 1; n <= 12; n++ {
				require.NoError(t, j.Append(t.Context(), "train/prod/block", entry(n, "a")))
				last, err = j.Last(t.Context(), "train/prod/block")
				require.NoError(t, err)
				require.Equal(t, entry(n, "a"), last)
			}
			require.ErrorIs(t, j.Append(t.Context(), "train/prod/block", entry(12, "b")), capacity.ErrTaken)
			last, err = j.Last(t.Context(), "train/prod/block")
			require.NoError(t, err)
			require.Equal(t, "a", last.Nonce, "the first writer's stays")

			for _, other := range []string{"train/prod", "train/prod/block2", "train/prod/block/x", "train/dev/block"} {
				last, err = j.Last(t.Context(), other)
				require.NoError(t, err)
				require.Zero(t, last.Sequence, other)
			}
		})
	}
}

// Of many writers of one number one succeeds.
func TestOneWriter(t *testing.T) {
	for name, j := range journals(t) {
		t.Run(name, func(t *testing.T) {
			for n := 1; n <= 5; n++ {
				won := make([]bool, 16)
				var group errgroup.Group
				for i := range won {
					group.Go(func() error {
						err := j.Append(t.Context(), "k", entry(n, fmt.Sprint(i)))
						won[i] = err == nil
						if errors.Is(err, capacity.ErrTaken) {
							return nil
						}
						return err
					})
				}
				require.NoError(t, group.Wait())
				last, err := j.Last(t.Context(), "k")
				require.NoError(t, err)
				winner := slices.Index(won, true)
				require.Equal(t, fmt.Sprint(winner), last.Nonce)
				require.Equal(t, -1, slices.Index(won[winner+1:], true))
			}
		})
	}
}

// No two keys share their entries, whatever is in them, and every one can be written.
func TestKeys(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		part := rapid.OneOf(rapid.StringN(0, 12, 24), rapid.SampledFrom([]string{"", ".", "..", "_", "_2f", "*", "org"}))
		key := func(label string) string {
			return strings.Join(rapid.SliceOfN(part, 3, 3).Draw(rt, label), "/")
		}
		a, b := key("a"), key("b")
		if a == b {
			return
		}
		for _, j := range journals(t) {
			require.NoError(rt, j.Append(context.Background(), a, entry(1, "a")))
			last, err := j.Last(context.Background(), b)
			require.NoError(rt, err)
			require.Zero(rt, last.Sequence, "%q and %q", a, b)
			last, err = j.Last(context.Background(), a)
			require.NoError(rt, err)
			require.Equal(rt, "a", last.Nonce)
		}
	})
}

func TestBroken(t *testing.T) {
	s := &store{values: map[string]string{}}
	j := journal.Parameters{SSM: s}
	s.values["/weft/purchases/k/000001"] = "{"
	_, err := j.Last(t.Context(), "k")
	require.ErrorContains(t, err, "reading /weft/purchases/k/000001 of the purchase journal")
	s.values["/weft/purchases/k/latest"] = "{}"
	_, err = j.Last(t.Context(), "k")
	require.ErrorContains(t, err, "its name is no number")
	s.fail = &smithy.GenericAPIError{Code: "AccessDeniedException"}
	_, err = j.Last(t.Context(), "k")
	require.ErrorIs(t, err, s.fail)
	require.ErrorIs(t, j.Append(t.Context(), "k", entry(1, "a")), s.fail)

	dir := t.TempDir()
	f := journal.Folder{Path: dir}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "k"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "k", "000001.json"), []byte("{"), 0o600))
	_, err = f.Last(t.Context(), "k")
	require.ErrorContains(t, err, "of the purchase journal")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	require.Error(t, journal.Folder{Path: filepath.Join(dir, "file")}.Append(t.Context(), "k", entry(1, "a")))
	drafts, err := filepath.Glob(filepath.Join(dir, "k", "draft-*"))
	require.NoError(t, err)
	require.Empty(t, drafts)
}

func TestActions(t *testing.T) {
	s := &store{values: map[string]string{}}
	j := journal.Parameters{SSM: s}
	require.NoError(t, j.Append(t.Context(), "k", entry(1, "a")))
	_, err := j.Last(t.Context(), "k")
	require.NoError(t, err)
	require.Equal(t, journal.Actions(), slices.Compact(slices.Sorted(slices.Values(s.calls))))
}

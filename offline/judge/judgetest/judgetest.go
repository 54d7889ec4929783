// Package judgetest starts accounts and judges for tests.
//
// Where their Python environments have not been built a test is skipped; in CI it fails.
package judgetest

import (
	"testing"

	"github.com/weft-hpc/weft/offline/account"
	"github.com/weft-hpc/weft/offline/judge"
	"github.com/weft-hpc/weft/offline/toolchain"
)

// Account starts an account that lasts as long as the test.
func Account(t testing.TB) *account.Account {
	t.Helper()
	toolchain.Need(t, account.Environment().Name)
	a, err := account.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, a.Close()) })
	return a
}

// Judge starts a judge that lasts as long as the test.
func Judge(t testing.TB, version string, a *account.Account) *judge.Judge {
	t.Helper()
	env, err := judge.Environment(version)
	if err != nil {
		t.Fatal(err)
	}
	toolchain.Need(t, env.Name)
	j, err := judge.New(t.Context(), version, a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, j.Close()) })
	return j
}

func closed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

#!/usr/bin/env bash
# Checks every shell script of the repository, test data aside. Without shellcheck it fails in CI, and says so elsewhere.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v shellcheck >/dev/null; then
  echo "shellcheck is missing: apt-get install shellcheck" >&2
  [ "${CI:-}" != true ]
  exit
fi
git ls-files -z --cached --others --exclude-standard '*.sh' .ci/run ':!**/testdata/**' | xargs -0 shellcheck
echo "shellcheck: clean"

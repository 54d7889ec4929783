#!/usr/bin/env bash
# Makes every generated file anew and fails if that changes anything.
set -euo pipefail
cd "$(dirname "$0")/.."

state() { { git status --porcelain --untracked-files=all && git diff; } | sha256sum; }

before=$(state)
go generate ./...
go mod tidy
if [ "$(state)" != "$before" ]; then
  echo "verify: these files were not current; review and commit them:" >&2
  git status --porcelain >&2
  exit 1
fi
echo "verify: generated files and go.mod are current"

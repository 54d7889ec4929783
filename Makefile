# weft. Everything below sets itself up on first use; what it makes is kept in .cache and in the user's cache.

# Pulumi's language host compiles with these flags; the same everywhere lets all builds share one cache.
export GOFLAGS := -trimpath -buildvcs=false

PREPARE := go run ./offline/cmd/prepare

.PHONY: help
help: ## show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## run the main job on an embedded, simulated AWS account
	go run ./cmd/weft demo

.PHONY: plugin
plugin: ## build the Pulumi plugin, ready, into .cache/bin
	$(PREPARE) pulumi-resource-weft

.PHONY: test
test: lint verify ## lint, check generated files, run all tests
	$(PREPARE)
	go test -race -shuffle=on -timeout 40m ./...

.PHONY: lint
lint: ## golangci-lint with the import table, gofumpt, shellcheck
	$(PREPARE) golangci-lint
	.cache/bin/golangci-lint config verify
	.cache/bin/golangci-lint run ./...
	.cache/bin/golangci-lint fmt --diff ./...
	scripts/shellcheck.sh

.PHONY: verify
verify: ## generated files and go.mod are current
	scripts/verify.sh

.PHONY: bench
bench: ## all benchmarks, with allocations
	go test -run '^$$' -bench . -benchmem ./...

.PHONY: vuln
vuln: ## known vulnerabilities (asks the vulnerability database)
	go tool -modfile=tools/go.mod govulncheck ./...

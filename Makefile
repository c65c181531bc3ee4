# Everyday commands. `make check` is what the gate runs.
.PHONY: build test slow race lint bench results generate check

build: ## the static binary ./macpro
	CGO_ENABLED=0 go build -trimpath -o macpro ./cmd/macpro

test:
	go test ./...

slow: ## learning checks and long statistics, up to an hour
	go test -tags slow -timeout 3h ./...

race:
	go test -race -short ./core/... ./registry/...

lint:
	go vet ./...
	cd tools && go build -o ../bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	bin/golangci-lint run ./...

bench:
	go test -run '^$$' -bench . -benchmem ./...

RESULTS ?= results/reduced
results: ## tables and figures again, from the committed summaries of runs
	go run ./cmd/macpro publish $(RESULTS)

generate: ## the assembly kernels, from tools/kernelgen
	go generate ./core/nn/internal/kernel

check:
	.ci/run

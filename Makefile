# Everyday commands. `make check` is what the gate runs.
.PHONY: build test slow torture race lint bench bench-jobs bench-original results claims generate release check

build: ## the static binary ./macpro
	CGO_ENABLED=0 go build -trimpath -o macpro ./cmd/macpro

TARGETS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64
release: ## static binaries of every target in dist/, with their SHA-256; TARGETS="darwin/arm64" builds one
	rm -rf dist && mkdir dist
	set -e; for target in $(TARGETS); do os=$${target%/*}; arch=$${target#*/}; \
	  GOFLAGS= GOAMD64=v1 GOARM64=v8.0 CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch go build -trimpath -buildvcs=true -o dist/macpro-$$os-$$arch ./cmd/macpro; \
	done
	cd dist && if command -v sha256sum >/dev/null; then sha256sum macpro-*; else shasum -a 256 macpro-*; fi >SHA256SUMS
	cat dist/SHA256SUMS

test:
	go test -timeout 30m ./...

slow: ## learning checks and long statistics, up to an hour
	go test -tags slow -timeout 3h ./...

TIME ?= 10m
SEED ?=
torture: ## TIME=10m SEED=1: kills, damaged files, full disks, failing operations and evil plugins; ONLY=kill plays one kind
	TORTURE_TIME=$(TIME) TORTURE_SEED=$(SEED) TORTURE_ONLY=$(ONLY) go test -tags slow -count=1 -v -timeout 0 -run '^TestTorture$$' ./cmd/macpro/tests/bits
	go test -count=1 -run 'Crash|Error|Kill|Tamper|Two|Disk' ./core/store
	TORTURE_TIME=$(TIME) TORTURE_SEED=$(SEED) go test -tags slow -count=1 -v -timeout 0 -run 'Evil' ./registry/remote ./registry/remote/process

race:
	go test -race -short ./core/... ./registry/...
	go test -race -run 'TestConformance/.*/instances' ./plugins/envs/...

lint:
	go vet ./...
	cd tools && go build -o ../bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	bin/golangci-lint run ./...

bench:
	go test -run '^$$' -bench . -benchmem ./...

bench-jobs: build ## the time of four cells one by one and two at a time
	@for jobs in 1 2; do \
	  out=$$(mktemp -d); from=$$(date +%s%N); \
	  ./macpro sweep --env lbf --alg finetuning --profile smoke --seeds 1..4 --set steps_per_task=20000 --name jobs \
	    --jobs $$jobs --out $$out --quiet || exit 1; \
	  echo "--jobs $$jobs: $$((($$(date +%s%N) - from) / 1000000)) ms"; rm -r $$out; \
	done

ORIGINAL ?=
PYTHON ?= python3
bench-original: build ## processor time of the authors' code and of ours: make bench-original ORIGINAL=checkout [PYTHON=...] [OPENBLAS_CORETYPE=...]
	@test -n "$(ORIGINAL)" || { echo "name a checkout of the authors' code: make bench-original ORIGINAL=../MACPro"; exit 2; }
	$(PYTHON) tools/original/bench.py --original "$(ORIGINAL)" --macpro ./macpro

RESULTS ?= $(sort $(patsubst %/,%,$(dir $(wildcard results/*/tables results/*/figures))))
results: ## tables and figures again, from the committed summaries of runs
	go run ./cmd/macpro publish $(RESULTS)

claims: ## the paper's claims against the committed summaries of runs
	go run ./results/claims

generate: ## the assembly kernels, from tools/kernelgen
	go generate ./core/nn/internal/kernel

check:
	.ci/run

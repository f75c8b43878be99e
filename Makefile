# make          the targets
# make test     all that a change has to pass
# make demo     see it work

SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS := -s -w -X regreen/internal/cli.version=$(VERSION)
BUILD := CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)'
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
# One package's tests drive real frameworks in hundreds of runs.
TESTFLAGS ?= -timeout 24m

.PHONY: help deps build fmt test check demo cross clean

help: ## show the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 16

deps: ## install the test frameworks that the tests drive
	@.ci/deps

build: ## build bin/regreen
	$(BUILD) -o bin/regreen .

fmt: ## is everything formatted?
	@bad=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go')); \
	[ -z "$$bad" ] || { echo "gofmt -w these: $$bad" >&2; exit 1; }

test: deps fmt ## everything a change has to pass; the last line counts the tests
	go vet ./...
	@mkdir -p bin && go build -o bin/testcount ./internal/testcount
	go test -json $(TESTFLAGS) ./... | bin/testcount

check: test ## test, and staticcheck, other platforms and the race detector
	go run $(STATICCHECK) ./...
	GOOS=darwin go vet ./...
	GOOS=windows go vet ./...
	go test -race -short -timeout 24m $$(go list ./... | grep -v /e2e)

demo: build ## build it and repair a small real project
	@bin/regreen demo

cross: ## build for every platform, with checksums
	@for p in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64; do \
	  ext=; [ "$${p%/*}" = windows ] && ext=.exe; \
	  out=bin/regreen-$${p%/*}-$${p#*/}$$ext; echo "$$out"; \
	  GOOS=$${p%/*} GOARCH=$${p#*/} $(BUILD) -o "$$out" .; \
	done
	@cd bin && { sha256sum regreen-* 2>/dev/null || shasum -a 256 regreen-*; } > SHA256SUMS

clean: ## remove what was built; the frameworks stay
	rm -rf bin

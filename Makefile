# Kith. `make run` and `make test` set up what they need by themselves.

SHELL := /bin/bash
SWIFT_FLAGS := --static-swift-stdlib
SIZE ?= full

.PHONY: packages packages-test setup build run test test-clocks lint format schema bench fuzz

packages:
	@./setup

packages-test:
	@./setup test

setup: build

build: packages
	swift build -c release $(SWIFT_FLAGS) --product kith

run: build
	exec .build/release/kith dev

# `make test ONLY=HTTPTests` runs what matches.
test: packages-test
	./Tests/run

# Every test under other clocks than the machine's, after `make test`; under one: `make test-clocks CLOCK='2028-02-29 12:00:00 Europe/Berlin'`.
test-clocks: packages-test
	./Tests/clocks

lint:
	swift format lint --strict --parallel --recursive Package.swift Sources Tests

format:
	swift format --in-place --parallel --recursive Package.swift Sources Tests

# The end state of the schema, for reading and for review; the tests fail when it is stale.
schema: packages-test
	KITH_WRITE_SCHEMA=1 swift test --filter "what sql/schema.sql says"

bench: build
	@./setup bench
	./Tests/Load/run $(NAME)

# What `make test` does for a minute, for as long as is wanted: `make fuzz SECONDS=3600`.
fuzz: packages-test
	KITH_FUZZ_SECONDS=$(or $(SECONDS),600) ONLY="The fuzzer" ./Tests/run

# Kith. `make run` and `make test` install what they need.

SHELL := /bin/bash
# The program needs no library beside it, so none is sought there.
SWIFT_FLAGS := --static-swift-stdlib --disable-local-rpath
# In any folder the same sources give the same program (deploy/reproduce): its debugging symbols name files from the folder on. SwiftPM
# names the folder of generated sources after the package's folder, the names of compiled C modules have a hash of their path, and so has
# each object file unless incremental code generation is off.
GENERATED := .build/plugins/outputs
MAPS := $(CURDIR)/$(GENERATED)/$(shell basename $(CURDIR) | tr A-Z a-z)=./$(GENERATED)/kith \
	$(GENERATED)/$(shell basename $(CURDIR) | tr A-Z a-z)=$(GENERATED)/kith $(CURDIR)=.
SWIFT_FLAGS += $(foreach map,$(MAPS),-Xswiftc -file-prefix-map -Xswiftc $(map)) \
	-Xcc -ffile-prefix-map=$(CURDIR)=. -Xcxx -ffile-prefix-map=$(CURDIR)=. \
	$(foreach flag,-no-clang-module-breadcrumbs -disable-incremental-llvm-codegen,-Xswiftc -Xfrontend -Xswiftc $(flag))

.PHONY: packages packages-test setup build package image run test test-clocks lint format schema texts client ledger bench fuzz model chaos mutate truth matrix
.PHONY: truth-breaks truth-races screenshots icons scale

packages:
	@./setup

packages-test:
	@./setup test

setup: build

build: packages
	swift build -c release $(SWIFT_FLAGS) --product kith

# Makes the Debian package under .build/packages, beside the package of its debugging symbols.
package: build
	@./setup package
	deploy/package .build/release/kith .build/packages

# Makes a container image of that package, beside it.
image: package
	deploy/image "$$(ls -t .build/packages/kith_*.deb | head -1)"

run: build
	exec .build/release/kith dev

# Runs all tests, or with `make test ONLY=HTTPTests` those whose names match.
test: packages-test
	./Tests/run

# Runs all tests under clocks other than the machine's, after `make test`. To use a single clock:
# `make test-clocks CLOCK='2028-02-29 12:00:00 Europe/Berlin'`
test-clocks: packages-test
	./Tests/clocks

lint:
	swift format lint --strict --parallel --recursive Package.swift Sources Tests

format:
	swift format --in-place --parallel --recursive Package.swift Sources Tests

# Writes the end state of the schema to sql/schema.sql, for reading and review. The tests fail when it is stale.
schema: packages-test
	KITH_WRITE_SCHEMA=1 swift test --filter "what sql/schema.sql says"

# Makes pictures of every screen of the web client under .build/screenshots: on a phone and on a desktop, light and dark, in English and in
# German, and with text of 200 %.
screenshots: packages-test
	KITH_SCREENSHOTS=$(CURDIR)/.build/screenshots swift test --filter "look the same in every"
	@ls .build/screenshots

# Draws the icon of the web client as pictures for what takes no SVG, such as the Home Screen of an iPhone. Its ground fills the square.
icons: packages-test
	folder=$$(mktemp -d) && cp Sources/Web/Assets/icon.svg $$folder && \
	echo '<style>html, body { margin: 0; background: #0842a0 } img { display: block; width: 100vw }</style><img src="icon.svg">' \
		> $$folder/page.html && \
	for size in 180 192 512; do chromium --headless=old --no-sandbox --disable-gpu --hide-scrollbars --window-size=$$size,$$size \
		--screenshot=$(CURDIR)/Sources/Web/Assets/icon-$$size.png file://$$folder/page.html || exit 1; done; rm -r $$folder

# Writes the Swift of the library's texts from Sources/Texts/Catalogue. The tests fail when it is stale.
texts: packages-test
	KITH_WRITE_TEXTS=1 swift test --filter "are those of the catalogue"

# Writes the calls and values of KithClient, of KithServer and of what both share to Sources/Kith*/Generated, from the description of the
# API. The tests fail when they are stale.
client: packages-test
	KITH_WRITE_CLIENT=1 swift test --filter "what the description of the API says"

# Writes what each call and each loop of the worker does in the database to Tests/Growth/ledger.tsv. The tests fail when one does more.
ledger: packages-test
	KITH_WRITE_LEDGER=1 swift test --filter "is what the ledger says"

bench: build
	@./setup bench
	swift build -c release $(SWIFT_FLAGS) --product ClientProcess
	./Tests/Load/run $(NAME)

# Runs the fuzzer, which `make test` runs for a minute, for as long as wanted: `make fuzz SECONDS=3600`.
fuzz: packages-test
	KITH_FUZZ_SECONDS=$(or $(SECONDS),600) ONLY="The fuzzer" ./Tests/run

# Compares the server with the model, which `make test` does for some 20 s, for as long as wanted: `make model SECONDS=3600 SEED=1`.
model: packages-test
	KITH_MODEL_SECONDS=$(or $(SECONDS),600) KITH_MODEL_SEED=$(or $(SEED),1) ONLY="The model" ./Tests/run

# Plays random lives of senders and receivers and checks what a family trusts, which `make test` does for a few lives, for as long as
# wanted: `make truth SECONDS=3600 SEED=7`.
truth: packages-test
	KITH_TRUTH_SECONDS=$(or $(SECONDS),600) KITH_TRUTH_SEED=$(or $(SEED),1) ONLY="The promises to a family" ./Tests/run

# Walks every type of message with every kind of contacts, provider and act, as `make test` does.
matrix: packages-test
	ONLY="The matrix of messages" ./Tests/run

# Breaks each of those promises once on purpose, in the rules, and sees that the random lives find it.
truth-breaks: packages-test
	KITH_TRUTH_BREAKS=1 ONLY="are seen to be broken" ./Tests/run

# Races the worker's judgement with check-ins at the deadline, which `make test` does 300 times: `make truth-races RACES=10000`.
truth-races: packages-test
	KITH_TRUTH_RACES=$(or $(RACES),10000) ONLY="races the judgement" ./Tests/run

# Lets faults happen to servers, workers, PostgreSQL and providers under load, which `make test` does for 20 s:
# `make chaos SECONDS=3600 SEED=7`. The same seed and length give the same faults.
chaos: packages-test build
	./Tests/Chaos/run --seconds $(or $(SECONDS),600) --seed $(or $(SEED),1)

# Changes the database's functions, one place at a time, and reports the changes that no file of Tests/SQL notices:
# `make mutate SEED=7 COUNT=1000`.
mutate: packages-test build
	./Tests/Mutation/run --seed $(or $(SEED),1) --count $(or $(COUNT),200)

# Simulates the world's day at several sizes from measured costs, and writes docs/scale.svg and the tables of docs/scale.md. The costs are
# those of Tests/Scale/costs.json, which Tests/Scale/measure writes.
scale:
	./Tests/Scale/run

# The front door; the build itself is CMake (see CMakePresets.json).
PREFIX ?= /usr/local
RUN := build/release/firn

.PHONY: build demo tour gallery test bench install format clean
build:
	@tools/setup build
	@tools/build release

demo: build
	$(RUN) demo -o out/demo

tour: build
	$(RUN) demo --all -o out/tour

gallery: build
	@tools/make_gallery
	@tools/gallery_page

test:
	@tools/setup test
	@tools/test

bench: build
	@mkdir -p bench/results
	$(RUN) bench --csv bench/results/local.csv

install: build
	@DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"

format:
	@tools/setup test
	@tools/check_format --fix

clean:
	rm -rf build

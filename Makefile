# Everything is in dev.sh; this is for fingers that are used to make.
.PHONY: check test docs coverage sweep registry slow bench gpu fuzz

check test docs coverage sweep registry slow bench gpu fuzz:
	@sh dev.sh $@

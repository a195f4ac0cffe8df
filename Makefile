# Everything is in dev.sh; this is for fingers that are used to make.
.PHONY: check test sweep bench fuzz

check test sweep bench fuzz:
	@sh dev.sh $@

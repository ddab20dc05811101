# SPDX-License-Identifier: Apache-2.0
# The same counted as the program of 2019 read its lines: split at '|', third field.
BEGIN {
	FS = "|"
}
NF == 3 && ($3 == "postFramebuffer" || $3 ~ /^presentFrameAndReleaseLayers|^composite /) {
	match($1, / [0-9]+\.[0-9]+: /)
	presents[int(substr($1, RSTART))]++
}
END {
	for (second in presents)
		print second, presents[second]
}

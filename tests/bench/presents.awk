# SPDX-License-Identifier: Apache-2.0
# The least that any program has to do: presents in each second of the trace.
/tracing_mark_write: B\|[0-9]+\|(postFramebuffer|presentFrameAndReleaseLayers|composite )/ {
	match($0, / [0-9]+\.[0-9]+: /)
	presents[int(substr($0, RSTART))]++
}
END {
	for (second in presents)
		print second, presents[second]
}

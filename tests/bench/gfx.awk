# SPDX-License-Identifier: Apache-2.0
# The algorithm of the 2019 program: at each tick, if SurfaceFlinger has presented since the
# previous one, the surface of the last counter has a frame; a row for each surface with more than
# 20 frames, once a second of trace time. Only to compare costs: jankd counts in another way.
BEGIN {
	FS = "|"
	OFS = ","
	OFMT = "%.6f"
	target = 60
	kpi = 100
	period = 16.667
}

NF == 3 {
	if ($3 == "postFramebuffer")
		presented = 1
	next
}

NF != 4 {
	next
}

$3 ~ /^VSYNC/ {
	n = split($1, word, " ")
	now = word[n - 2] + 0
	if (checked == "")
		checked = now
	if (presented)
		frame(surface == "" ? "unknown" : surface)
	if (now - checked >= 1) {
		rows(20)
		checked = now
	}
	ticked = now
	presented = 0
	surface = ""
	next
}

!presented && $3 !~ /HW_VSYNC|hasClientComposition|FrameMissed|FramebufferSurface|TX - / {
	surface = $3
}

!presented && $3 ~ /TX - / {
	surface = substr($3, index($3, " - ") + 3)
}

function frame(who, ms)
{
	if (!(who in last)) {
		begin[who] = last[who] = now
		return
	}
	ms = (now - last[who]) * 1000
	last[who] = now
	if (ms >= 500) {
		waits[who]++
		waited[who] += ms
		return
	}
	frames[who]++
	time[who] += ms
	if (ms > most[who])
		most[who] = ms
	if (ms >= 100)
		a[who]++
	else if (ms >= 50)
		b[who]++
	else if (ms >= 42)
		c[who]++
	if ((now - ticked) * 1000 > period)
		d[who]++
}

function rows(least, who, n, fps, score)
{
	for (who in frames) {
		n = frames[who]
		if (n <= least)
			continue
		fps = n * 1000 / time[who]
		score = 60 * (fps < target ? fps / target : 1) + 20 * (kpi < most[who] ? kpi / most[who] : 1) + 10 * (1 - a[who] / n) + 7 * (1 - b[who] / n) + 3 * (1 - c[who] / n)
		print begin[who], last[who], sprintf("%.1f", fps), n, time[who] / 1000, most[who], waited[who] / 1000, waits[who] + 0, a[who] + 0, b[who] + 0, c[who] + 0, d[who] + 0, sprintf("%.2f", score), who
		begin[who] = last[who]
		delete frames[who]
		delete time[who]
		delete most[who]
		delete waited[who]
		delete waits[who]
		delete a[who]
		delete b[who]
		delete c[who]
		delete d[who]
	}
}

END {
	rows(0)
}

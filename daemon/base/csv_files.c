/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/base/csv_files.h"

#include "daemon/base/options.h"

const struct csv_file_info csv_files[CSV_FILES] = {
	[ROW_FRAMES] = {
		"frames.csv",
		"present(s),vsync(s),interval(ms),vsyncs,app,Surface,layer,frame number,"
		"queued(s),latched(s),gpu done(s),cause,lost events,vsync id",
	},
	[ROW_TIMELINE] = {
		"frametimeline.csv",
		"kind,start(s),end(s),expected start(s),expected end(s),token,"
		"display token,pid,app,Surface,layer,present type,on time finish,"
		"gpu composition,prediction,jank type,severity,buffer",
		.is_lazy = true,
	},
	[ROW_DROPS] = {
		"dropFrames.csv",
		"start VSYNC,end VSYNC,used time(ms),VSYNC type,TX,app,Surface,info,"
		"missed vsyncs,cause,layer,frame number",
	},
	[ROW_DOFRAMES] = {
		"doframe.csv",
		"start time,end time,app,process,thread,frames,Time(S),FPS,doFrame avg(ms),"
		"doFrame p99(ms),doFrame max(ms),draw avg(ms),draw max(ms),skipped,"
		"matrix best,matrix normal,matrix middle,matrix high,matrix frozen,"
		"lost events",
		.is_lazy = true,
	},
	[ROW_LATENCY] = {
		"latency.csv",
		"desired present(s),actual present(s),frame ready(s),interval(ms),vsyncs,"
		"app,Surface,layer",
	},
	[ROW_FPS] = {
		"fps.csv",
		"start time,end time,FPS,frames,Time(S),max time(ms),waiting time(S),"
		"wait times,A,B,C,D,score,TX,app,Surface,refresh(Hz),p50(ms),p90(ms),"
		"p99(ms),missed vsyncs,jank,big jank,stutter(%),gpu avg(ms),gpu max(ms),"
		"lost events,stalls,stall time(S),cadence(vsyncs),off cadence,late frames,"
		"late time(S),unknown vsyncs",
	},
	[ROW_EVENTS] = {
		"events.csv",
		"time(s),wall time,kind,text",
	},
	[CSV_SUMMARY] = {
		"summary.csv",
		"app,Surface,first(s),last(s),frames,Time(S),FPS,p50(ms),p90(ms),p95(ms),"
		"p99(ms),p99.9(ms),max time(ms),low 1% mean(fps),low 0.1% mean(fps),"
		"waiting time(S),wait times,A,B,C,D,score,missed vsyncs,small jank,jank,"
		"big jank,stutter(%),matrix best,matrix normal,matrix middle,matrix high,"
		"matrix frozen,slow,frozen,gpu p50(ms),gpu p99(ms),gpu bound,lost events,"
		"stalls,stall time(S),cadence(vsyncs),off cadence,jank(/10min),"
		"big jank(/10min),jank types,verdict,low 1% time(fps),low 0.1% time(fps),"
		"late frames,late time(S),lost(ms/s),longest(ms),grade,unknown vsyncs",
	},
	[CSV_SESSION] = { "session.json", NULL },
};

bool csv_files_wanted(enum csv_file_kind which, const struct options *options)
{
	bool is_live = options->command != OPTIONS_ANALYZE;

	switch (which) {
	case ROW_FPS:
		return options->pipeline.type < 3;
	case ROW_DROPS:
		return options->pipeline.type > 0;
	case ROW_FRAMES:
		return options->frames_log;
	case ROW_TIMELINE:
		return !is_live || options->pipeline.frame_timeline;
	case ROW_LATENCY:
		return is_live && options->source == OPTIONS_SOURCE_LATENCY;
	default:
		return true;
	}
}

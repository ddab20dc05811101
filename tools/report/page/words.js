"use strict";
/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of the page in Chinese, and what a number means. A text without an entry is shown as it is. */
const WORDS = {
  en: {},
  zh: {
    "theme: dark": "深色", "theme: light": "浅色", "no device": "设备未知", "session": "会话", "time": "时间", "to": "至", "verdict": "结论", "app": "应用",
    "whose fault": "责任方", "worst minute": "最差的一分钟", "late": "迟到", "stalls": "停顿", "lost events": "丢失的事件", "the capture cost": "采集开销",
    "of CPU time": "CPU 时间", "of memory": "内存", "notes": "说明", "charts": "图表", "whole session": "整个会话", "reset zoom": "恢复缩放",
    "frame rate": "帧率", "frame time": "帧时间", "longest frame time": "最长帧时间", "lowest": "最低", "mean": "平均", "sections": "区段", "section": "区段",
    "drops and stalls by harm": "按危害排序的掉帧与停顿", "filter": "筛选", "cause": "原因", "harm": "危害", "kind": "类型", "stall": "停顿", "drop": "掉帧",
    "interval": "间隔", "distribution of intervals in vsyncs": "以 vsync 计的间隔分布", "frames": "帧数", "share": "占比", "all numbers": "全部数值",
    "copy as CSV": "复制为 CSV", "copy as Markdown": "复制为 Markdown", "download as CSV": "下载 CSV", "show all rows": "显示所有行", "copied": "已复制", "not captured": "未采集",
    "needs frames.csv": "需要 frames.csv（--frames-log）", "no charts: fps.csv has no rows, and frames.csv no frames": "没有图表：fps.csv 没有行，frames.csv 没有帧",
    "built without dygraphs: no charts": "构建时没有 dygraphs：没有图表", "this browser cannot unpack data (DecompressionStream): no charts": "此浏览器不能解压数据（DecompressionStream）：没有图表",
    "Surfaces with a chart": "有图表的 Surface", "others: --surface NAME": "其他：--surface NAME", "first": "前", "none": "无", "unknown": "未知", "selected range": "所选范围", "from": "起", "clear": "清除", "number": "数值", "value": "值",
    "computed from every frame": "由每一帧计算", "sums of whole rows of fps.csv; no percentiles: ": "fps.csv 整行之和；没有百分位数：",
    "frames.csv was not captured (--frames-log)": "未采集 frames.csv（--frames-log）", "frames.csv does not have all frames of this range": "frames.csv 没有此范围的全部帧",
    "its frames are not on this page": "此页没有这些帧", "every frame of this range: ": "此范围的每一帧：", "nothing in this range": "此范围没有数据",
    "drag: zoom, and the numbers of that range; shift and drag: move; double click: all. Keys: arrows, + and -, 0, Home and End for the row":
      "拖动：缩放并显示该范围的数值；按住 shift 拖动：平移；双击：全部。按键：方向键、+ 和 -、0，Home 和 End 选择行",
    "download what is shown": "下载所显示的内容", "row": "行", "frame": "帧", "evidence": "证据", "queued": "入队", "GPU done": "GPU 完成", "latched": "锁存",
    "presented": "呈现", "frame before": "前一帧", "expected end": "预期结束", "finished": "完成", "vsync": "vsync", "layer": "图层", "frame number": "帧号", "vsync id": "vsync id",
    "jank type": "jank 类型", "present type": "呈现类型", "info": "信息", "snapshot": "快照", "open in": "打开于", "close": "关闭", "events within 5 s": "5 秒内的事件",
    "times in ms after the frame before": "前一帧之后的毫秒数", "pacing": "节奏", "even": "均匀", "runs of even frames": "均匀帧的连续段", "longest run": "最长连续段", "median run": "中位连续段",
    "cadence": "节拍", "vsyncs": "vsync 数", "around the cadence": "相对节拍", "what else was captured": "其他采集内容", "name": "名称", "detail": "细节", "max": "最大", "bad": "异常",
    "jank dialects": "各种 jank 定义", "frame times and rates": "帧时间与帧率", "marks": "标记", "event": "事件", "BASE": "基准", "NEW": "新", "comparison": "对比",
    "runs": "次", "of drawing": "绘制", "effect": "效应", "change": "变化", "noise allows": "噪声允许", "better": "变好", "worse": "变差",
    "no difference beyond the noise": "没有超出噪声的差异", "conditions": "条件", "condition": "条件", "outcome": "结果", "why": "原因", "holds": "成立", "holds not": "不成立",
    "not judged": "无法判断", "distributions side by side": "并列的分布", "open": "无界", "a frame of NEW is longer than one of BASE that much more often than shorter": "新组的帧比基准组的帧更长的概率减去更短的概率",
    "not enough data: needs 20 s of drawing in each group": "数据不足：每组需要 20 秒的绘制", "not captured: needs frames.csv of all runs": "未采集：需要每次运行的 frames.csv",
    "not captured, or unknown in all rows of a group": "未采集，或一组的所有行中都未知", "not in BASE": "基准组中没有", "not in NEW": "新组中没有",
    "not enough data: no Surface to compare": "数据不足：没有可对比的 Surface", "a group with one run: what differs from run to run is not known": "只有一次运行的组：各次运行之间的差异未知",
    "devices and builds": "设备与版本", "device": "设备", "build": "版本", "worst": "最差", "folder": "文件夹", "temperature": "温度", "app in front changes": "前台应用切换", "refresh rate changes": "刷新率切换", "another program or SurfaceFlinger changes the trace": "其他程序或 SurfaceFlinger 改变了跟踪", "events lost": "事件丢失", "lost": "丢失",
  },
};

/* The formulas of jankd-metrics(7), shown on the headings. */
const FORMULAS = {
  "FPS": "frames / Time(S)", "frames": "intervals below 500 ms", "Time(S)": "their sum", "p50(ms)": "nearest rank: the value at rank ceil(0.5 N) of the sorted intervals",
  "p90(ms)": "nearest rank: the value at rank ceil(0.9 N)", "p95(ms)": "nearest rank: the value at rank ceil(0.95 N)", "p99(ms)": "nearest rank: the value at rank ceil(0.99 N)",
  "p99.9(ms)": "nearest rank: the value at rank ceil(0.999 N)", "low 1% mean(fps)": "1000 / mean of the slowest ceil(0.01 N) intervals (ms)",
  "low 0.1% mean(fps)": "1000 / mean of the slowest ceil(0.001 N) intervals (ms)", "low 1% time(fps)": "1000 / the last of the slowest intervals that add up to 1 % of Time (ms)",
  "low 0.1% time(fps)": "1000 / the last of the slowest intervals that add up to 0.1 % of Time (ms)", "jank(/10min)": "janks × 600 / (Time + stall time)",
  "big jank(/10min)": "big janks × 600 / (Time + stall time)", "stutter(%)": "time in janks / (Time + stall time)",
  "score": "60·min(1, FPS/target) + 20·min(1, kpi/max) + 10·(1−A/frames) + 7·(1−B/frames) + 3·(1−C/frames)", "missed vsyncs": "sum of vsyncs − 1",
  "missed vsyncs(/1000 frames)": "1000 × missed vsyncs / frames", "stalls(/10min)": "stalls × 600 / (Time + stall time)",
  "small jank": "> 2 × the mean of the three before, and > 41.667 ms, and no jank", "jank": "> 2 × the mean of the three before, and > 83.333 ms; and stalls",
  "big jank": "> 2 × the mean of the three before, and > 125 ms; and stalls", "A": "[100, 500) ms", "B": "[50, 100) ms", "C": "[42, 50) ms", "D": "more than one vsync",
  "matrix best": "0 to 2 missed vsyncs", "matrix normal": "3 to 8 missed vsyncs", "matrix middle": "9 to 23 missed vsyncs", "matrix high": "24 to 41 missed vsyncs",
  "matrix frozen": "42 missed vsyncs and more", "slow": "more than one vsync late", "frozen": "> 700 ms", "cadence(vsyncs)": "the most frequent number of vsyncs, the smallest of several",
  "off cadence": "intervals with another number of vsyncs", "harm(ms)": "time by which frames came later than the cadence, and stalls", "stalls": "waits in which the app was at work or its frame under way",
  "waiting time(S)": "sum of intervals of 500 ms or more", "wait times": "intervals of 500 ms or more", "effect": "a frame of NEW is longer than one of BASE that much more often than shorter",
};

-- SPDX-License-Identifier: Apache-2.0
-- Worst builds
-- By build, model and app: rows of fps.csv added up; a minute of drawing at least.
SELECT
    build,
    model,
    app,
    uniqExact(device) AS devices,
    uniqExact(device, session) AS sessions,
    round(sum(`Time(S)`) / 3600, 2) AS `drawing(h)`,
    round(sum(frames) / sum(`Time(S)`), 2) AS `mean FPS`,
    round(600 * sum(jank) / (sum(`Time(S)`) + sum(`stall time(S)`)), 2) AS `jank(/10min)`,
    round(600 * sum(`big jank`) / (sum(`Time(S)`) + sum(`stall time(S)`)), 2) AS `big jank(/10min)`,
    round(600 * sum(stalls) / (sum(`Time(S)`) + sum(`stall time(S)`)), 2) AS `stalls(/10min)`,
    round(1000 * sum(`missed vsyncs`) / sum(frames), 2) AS `missed vsyncs(/1000 frames)`,
    max(`max time(ms)`) AS `longest frame(ms)`
FROM {db}.fps
WHERE day >= {since}
GROUP BY build, model, app
HAVING sum(`Time(S)`) >= 60
ORDER BY `jank(/10min)` DESC, build, model, app
LIMIT 200

-- SPDX-License-Identifier: Apache-2.0
-- Devices
-- By device: rows of fps.csv added up.
SELECT
    device,
    tupleElement(arraySort(groupUniqArray(tuple(day, model, build)))[-1], 2) AS `last model`,
    tupleElement(arraySort(groupUniqArray(tuple(day, model, build)))[-1], 3) AS `last build`,
    uniqExact(build) AS builds,
    uniqExact(session) AS sessions,
    toString(min(day)) AS `first day`,
    toString(max(day)) AS `last day`,
    round(sum(`Time(S)`) / 3600, 2) AS `drawing(h)`,
    round(sum(frames) / sum(`Time(S)`), 2) AS `mean FPS`,
    round(600 * sum(jank) / (sum(`Time(S)`) + sum(`stall time(S)`)), 2) AS `jank(/10min)`
FROM {db}.fps
WHERE day >= {since}
GROUP BY device
ORDER BY `jank(/10min)` DESC, device
LIMIT 1000

-- SPDX-License-Identifier: Apache-2.0
-- Devices
-- By device: all sessions and apps added up.
SELECT
    device,
    tupleElement(arraySort(groupUniqArray(tuple(day, model, build)))[-1], 2) AS `last model`,
    tupleElement(arraySort(groupUniqArray(tuple(day, model, build)))[-1], 3) AS `last build`,
    uniqExact(build) AS builds,
    uniqExact(session) AS sessions,
    uniqExactIf(session, grade = 'BAD') AS `BAD sessions`,
    round(1000 * sum(`late time(s)` + `freeze time(s)`) / sum(`drawing(s)`), 3) AS `lost(ms/s)`,
    sum(freezes) AS `all freezes`,
    toString(min(day)) AS `first day`,
    toString(max(day)) AS `last day`,
    round(sum(`drawing(s)`) / 3600, 2) AS `drawing(h)`
FROM {db}.grades
WHERE day >= {since}
GROUP BY device
ORDER BY `lost(ms/s)` DESC, device
LIMIT 1000

-- SPDX-License-Identifier: Apache-2.0
-- What is missing
-- By device: segments that are open or cut off, lines that were left out, and sessions with a wrong clock or without grades.
SELECT
    device,
    uniqExact(session) AS sessions,
    countIf(file NOT IN ('session.json', 'grades')) AS segments,
    sumIf(rows, file != 'grades') AS `rows`,
    countIf(whole = 0 AND closed = 0 AND file != 'grades') AS open,
    countIf(whole = 0 AND closed = 1) AS damaged,
    sum(left_out) AS `lines left out`,
    uniqExactIf(session, until = 0) AS `sessions with a wrong clock`,
    uniqExact(session) - uniqExactIf(session, file = 'grades') AS `sessions without grades`
FROM {db}.segments
WHERE day >= {since}
GROUP BY device
HAVING open + damaged + `lines left out` + `sessions with a wrong clock` + `sessions without grades` > 0
ORDER BY `lines left out` DESC, device
LIMIT 1000

-- SPDX-License-Identifier: Apache-2.0
-- What is missing
-- By device: segments that are open or cut off, lines that were left out, and sessions with a wrong clock.
SELECT
    device,
    uniqExact(session) AS sessions,
    countIf(file != 'session.json') AS segments,
    sum(rows) AS `rows`,
    countIf(whole = 0 AND closed = 0) AS open,
    countIf(whole = 0 AND closed = 1) AS damaged,
    sum(left_out) AS `lines left out`,
    uniqExactIf(session, until = 0) AS `sessions with a wrong clock`
FROM {db}.segments
WHERE day >= {since}
GROUP BY device
HAVING open + damaged + `lines left out` + `sessions with a wrong clock` > 0
ORDER BY `lines left out` DESC, device
LIMIT 1000

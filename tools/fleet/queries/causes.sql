-- SPDX-License-Identifier: Apache-2.0
-- Time lost by cause
-- By app and build: seconds by which late frames came late, and of freezes. Most time lost first.
SELECT
    app,
    build,
    uniqExact(device) AS devices,
    {facts}
FROM {db}.grades
WHERE day >= {since}
GROUP BY app, build
ORDER BY sum(`late time(s)` + `freeze time(s)`) DESC, app, build
LIMIT 200

-- SPDX-License-Identifier: Apache-2.0
-- Time lost by cause
-- By app and build: seconds lost by late frames and by freezes. Most time lost first.
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

-- SPDX-License-Identifier: Apache-2.0
-- Worst builds
-- By app, model and build: all sessions of an app added up, and graded. Apps come first, then home screens and the system;
-- the worst grade first, then most time lost in each second of drawing.
SELECT
    app,
    model,
    build,
    min(rank) AS `rank`,
    uniqExact(device) AS devices,
    uniqExact(device, session) AS sessions,
    uniqExactIf(device, session, grade = 'BAD') AS `BAD sessions`,
    toString(min(day)) AS `first day`,
    toString(max(day)) AS `last day`,
    {facts}
FROM {db}.grades
WHERE day >= {since}
GROUP BY app, model, build
ORDER BY rank, sum(`late time(s)` + `freeze time(s)`) / sum(`drawing(s)`) DESC, app, model, build
LIMIT 1000

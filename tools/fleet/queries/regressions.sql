-- SPDX-License-Identifier: Apache-2.0
-- Regressions by model
-- Each build of a model and app, and the build before it by first day; what is too short to judge is left out. Changes here
-- are not tested against noise: for that use jank-report --compare.
SELECT
    app,
    model,
    build,
    toString(min(day)) AS `first day`,
    {facts}
FROM {db}.grades
WHERE day >= {since}
GROUP BY app, model, build
ORDER BY app, model, build
LIMIT 10000

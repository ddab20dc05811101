-- SPDX-License-Identifier: Apache-2.0
-- Regressions by model
-- Each build of a model and app, and the build before it by first day; a minute of drawing each. Changes here are not
-- tested against noise: for that use jank-report --compare.
SELECT
    model,
    app,
    tupleElement(builds[i], 2) AS build,
    tupleElement(builds[i - 1], 2) AS before,
    tupleElement(builds[i], 1) AS `first day`,
    round(tupleElement(builds[i], 3), 2) AS `mean FPS`,
    round(tupleElement(builds[i - 1], 3), 2) AS `mean FPS before`,
    round(tupleElement(builds[i], 4), 2) AS `jank(/10min)`,
    round(tupleElement(builds[i - 1], 4), 2) AS `jank(/10min) before`,
    round(tupleElement(builds[i], 4) - tupleElement(builds[i - 1], 4), 2) AS `more jank(/10min)`
FROM
(
    SELECT model, app, arraySort(groupArray(tuple(first, build, rate, janks))) AS builds
    FROM
    (
        SELECT
            model,
            app,
            build,
            min(day) AS first,
            ifNull(sum(frames) / sum(`Time(S)`), nan) AS rate,
            ifNull(600 * sum(jank) / (sum(`Time(S)`) + sum(`stall time(S)`)), nan) AS janks
        FROM {db}.fps
        WHERE day >= {since}
        GROUP BY model, app, build
        HAVING sum(`Time(S)`) >= 60
    )
    GROUP BY model, app
)
ARRAY JOIN arrayEnumerate(builds) AS i
WHERE i > 1
ORDER BY `more jank(/10min)` DESC, model, app, build
LIMIT 200

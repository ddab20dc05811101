-- SPDX-License-Identifier: Apache-2.0
-- Percentiles over sessions
-- By build and app: of each session the Surface that draws longest, from summary.csv; 5 s of drawing at least. By
-- quantileExact: of the N sorted values number floor(p * N), counted from 0.
SELECT
    build,
    app,
    count() AS sessions,
    round(quantileExact(0.1)(rate), 2) AS `FPS p10`,
    round(quantileExact(0.5)(rate), 2) AS `FPS p50`,
    round(quantileExact(0.9)(rate), 2) AS `FPS p90`,
    round(quantileExact(0.5)(frame99), 3) AS `p99(ms) p50`,
    round(quantileExact(0.9)(frame99), 3) AS `p99(ms) p90`,
    round(quantileExact(0.5)(losses), 3) AS `lost(ms/s) p50`,
    round(quantileExact(0.9)(losses), 3) AS `lost(ms/s) p90`
FROM
(
    SELECT
        build,
        app,
        argMax(FPS, `Time(S)`) AS rate,
        argMax(`p99(ms)`, `Time(S)`) AS frame99,
        argMax(`lost(ms/s)`, `Time(S)`) AS losses
    FROM {db}.summary
    WHERE day >= {since}
    GROUP BY build, app, device, session
    HAVING max(`Time(S)`) >= 5
)
GROUP BY build, app
ORDER BY `lost(ms/s) p90` DESC, build, app
LIMIT 200

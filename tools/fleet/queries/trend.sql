-- SPDX-License-Identifier: Apache-2.0
-- Sessions over time
-- By session and app: the last 5000 by the device's clock, without those whose clock is wrong. began: seconds since 1970.
SELECT
    toString(toDateTime(assumeNotNull(began), 'UTC')) AS `began(UTC)`,
    app,
    build,
    model,
    grade,
    `lost(ms/s)`,
    freezes,
    device,
    session,
    toString(day) AS `day`,
    assumeNotNull(began) AS `began`,
    folder
FROM
(
    SELECT *
    FROM {db}.grades
    WHERE day >= {since} AND began > 0
    ORDER BY began DESC, device, session, app
    LIMIT 5000
)
ORDER BY began, device, session, app

-- SPDX-License-Identifier: Apache-2.0
-- Worst sessions
-- By session and app: apps come first, then home screens and the system; the worst grade first, then most time lost.
SELECT
    app,
    grade,
    `lost(ms/s)`,
    round(`late time(s)` + `freeze time(s)`, 3) AS `lost(s)`,
    freezes,
    round(`longest freeze(s)`, 3) AS `longest(s)`,
    round(`drawing(s)`, 1) AS `drawing(s)`,
    model,
    build,
    device,
    session,
    if(began > 0, toString(toDateTime(assumeNotNull(began), 'UTC')), '') AS `began(UTC)`,
    sentence,
    folder
FROM {db}.grades
WHERE day >= {since}
ORDER BY rank, indexOf(['BAD', 'POOR', 'FAIR', 'INCOMPLETE', 'UNCLEAR', 'GOOD', 'TOO SHORT'], grade), `late time(s)` + `freeze time(s)` DESC, device, session, app
LIMIT 1000

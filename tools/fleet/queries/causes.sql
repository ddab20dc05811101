-- SPDX-License-Identifier: Apache-2.0
-- Whose fault drops are
-- By build, app and cause: rows of dropFrames.csv.
SELECT
    build,
    app,
    if(cause = '', 'no cause written', cause) AS fault,
    count() AS drops,
    sum(`missed vsyncs`) AS missed,
    uniqExact(device) AS devices
FROM {db}.dropFrames
WHERE day >= {since}
GROUP BY build, app, fault
ORDER BY drops DESC, build, app, fault
LIMIT 200

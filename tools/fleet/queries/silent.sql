-- SPDX-License-Identifier: Apache-2.0
-- Devices that went silent
-- By device: the time of its last row; if its clock is wrong, when its files were loaded.
SELECT
    device,
    tupleElement(arraySort(groupUniqArray(tuple(last, model, build)))[-1], 2) AS `last model`,
    tupleElement(arraySort(groupUniqArray(tuple(last, model, build)))[-1], 3) AS `last build`,
    toString(toDateTime(max(last), 'UTC')) AS `last seen(UTC)`,
    toRelativeDayNum({today}) - toRelativeDayNum(toDateTime(max(last), 'UTC')) AS `silent days`
FROM
(
    SELECT device, model, build, if(until > 0, until, loaded) AS last
    FROM {db}.segments
)
GROUP BY device
HAVING `silent days` >= {silent_days}
ORDER BY `silent days` DESC, device
LIMIT 1000

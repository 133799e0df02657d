WITH s AS (
  SELECT
    CAST(`room` AS BIGINT) AS c0,
    CASE
      WHEN LENGTH(TRY_VALIDATE_UTF8(CAST(`job` AS STRING))) <= 10000
      THEN TRY_VALIDATE_UTF8(CAST(`job` AS STRING))
    END AS c1,
    CASE
      WHEN LENGTH(TRY_VALIDATE_UTF8(CAST(`person` AS STRING))) <= 10000
      THEN TRY_VALIDATE_UTF8(CAST(`person` AS STRING))
    END AS u
  FROM (
    SELECT
      *
    FROM people
  ) AS o
), t AS (
  SELECT
    u,
    c0 AS k0,
    c1
  FROM s
  WHERE
    (
      NOT u IS NULL
    )
    AND (
      c0 IN (CAST('1' AS BIGINT), CAST('2' AS BIGINT), CAST('3' AS BIGINT))
    )
), d AS (
  SELECT DISTINCT
    u,
    k0,
    c1 AS v
  FROM t
  WHERE
    NOT c1 IS NULL
), p AS (
  SELECT
    *
  FROM (
    SELECT
      u,
      k0,
      v,
      ROW_NUMBER() OVER (PARTITION BY u, k0 ORDER BY XXHASH64(u, k0, v, CAST(5 AS BIGINT)), v) AS place
    FROM d
  ) AS w
  WHERE
    place <= 3
), b AS (
  SELECT
    *
  FROM (
    SELECT
      *,
      DENSE_RANK() OVER (PARTITION BY u ORDER BY XXHASH64(u, k0, CAST(5 AS BIGINT)), k0) AS rank
    FROM p
  ) AS r
  WHERE
    rank <= 2
)
SELECT
  k0,
  COUNT(DISTINCT v) AS m0
FROM b
GROUP BY
  k0

WITH s AS (
  SELECT
    CAST("room" AS BIGINT) AS c0,
    CASE WHEN LENGTH(CAST("job" AS TEXT)) <= 10000 THEN CAST("job" AS TEXT) END COLLATE "binary" AS c1,
    CASE WHEN LENGTH(CAST("person" AS TEXT)) <= 10000 THEN CAST("person" AS TEXT) END COLLATE "binary" AS u
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
      c0 IN (
        SELECT
          CAST(UNNEST(FROM_JSON('["1", "2", "3"]', '["VARCHAR"]')) AS BIGINT)
      )
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
      ROW_NUMBER() OVER (PARTITION BY u, k0 ORDER BY HASH(u, k0, v, 5), v) AS place
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
      DENSE_RANK() OVER (PARTITION BY u ORDER BY HASH(u, k0, 5), k0) AS rank
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

WITH s AS (
  SELECT
    CASE WHEN LENGTH(CAST("home" AS TEXT)) <= 10000 THEN CAST("home" AS TEXT) END COLLATE "binary" AS c0,
    CASE WHEN NOT ISNAN("weight") THEN CAST("weight" AS DOUBLE) END AS c1,
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
          CAST(UNNEST(FROM_JSON('["north", "south"]', '["VARCHAR"]')) AS TEXT)
      )
    )
), d AS (
  SELECT
    u,
    k0,
    (
      (
        v - (
          -50
        )
      ) // 3
    ) AS v,
    COUNT(*) AS n
  FROM (
    SELECT
      u,
      k0,
      (
        CASE
          WHEN c1 <= CAST('-5' AS DOUBLE)
          THEN -50
          WHEN c1 >= CAST('300.5' AS DOUBLE)
          THEN 3005
          ELSE CASE
            WHEN CAST(FLOOR(c1 * CAST('10' AS DOUBLE) + 0.5) AS BIGINT) < -50
            THEN -50
            WHEN CAST(FLOOR(c1 * CAST('10' AS DOUBLE) + 0.5) AS BIGINT) > 3005
            THEN 3005
            ELSE CAST(FLOOR(c1 * CAST('10' AS DOUBLE) + 0.5) AS BIGINT)
          END
        END
      ) AS v
    FROM t
  ) AS f
  WHERE
    NOT v IS NULL
  GROUP BY
    u,
    k0,
    (
      (
        v - (
          -50
        )
      ) // 3
    )
), e AS (
  SELECT
    u,
    k0,
    v,
    n,
    SUM(n) OVER (
      PARTITION BY u, k0
      ORDER BY HASH(u, k0, v, 5), v
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) - n AS already
  FROM d
), p AS (
  SELECT
    u,
    k0,
    v,
    CASE WHEN n > 3 - already THEN 3 - already ELSE n END AS n
  FROM e
  WHERE
    already < 3
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
    rank <= 1
)
SELECT
  k0,
  v,
  CAST(CASE
    WHEN COALESCE(SUM(n), 0) < -4611686018427387904
    THEN -4611686018427387904
    WHEN COALESCE(SUM(n), 0) > 4611686018427387904
    THEN 4611686018427387904
    ELSE COALESCE(SUM(n), 0)
  END AS BIGINT) AS m0
FROM b
GROUP BY
  k0,
  v

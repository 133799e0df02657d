WITH s AS (
  SELECT
    CAST("age" AS BIGINT) AS c0,
    CASE WHEN LENGTH(CAST("job" AS TEXT)) <= 10000 THEN CAST("job" AS TEXT) END COLLATE "binary" AS c1,
    CASE WHEN NOT ISNAN("weight") THEN CAST("weight" AS DOUBLE) END AS c2,
    CASE WHEN LENGTH(CAST("person" AS TEXT)) <= 10000 THEN CAST("person" AS TEXT) END COLLATE "binary" AS u
  FROM (
    SELECT
      *
    FROM people
  ) AS o
), x AS (
  SELECT
    s.*,
    (
      CASE WHEN c0 < 0 THEN 0 WHEN c0 > 110 THEN 110 ELSE c0 END
    ) AS v0,
    (
      CASE
        WHEN c2 <= CAST('-5' AS DOUBLE)
        THEN -50
        WHEN c2 >= CAST('300.5' AS DOUBLE)
        THEN 3005
        ELSE CASE
          WHEN CAST(FLOOR(c2 * CAST('10' AS DOUBLE) + 0.5) AS BIGINT) < -50
          THEN -50
          WHEN CAST(FLOOR(c2 * CAST('10' AS DOUBLE) + 0.5) AS BIGINT) > 3005
          THEN 3005
          ELSE CAST(FLOOR(c2 * CAST('10' AS DOUBLE) + 0.5) AS BIGINT)
        END
      END
    ) AS v1
  FROM s
), y AS (
  SELECT
    x.*,
    CAST((
      v0 // NULLIF(CAST('10' AS BIGINT), CAST('0' AS BIGINT))
    ) AS BIGINT) AS d0,
    (
      (
        v1 * CAST('2' AS BIGINT)
      ) - (
        v0 * CAST('10' AS BIGINT)
      )
    ) AS d1
  FROM x
), t AS (
  SELECT
    u,
    d0 AS k0,
    d1
  FROM y
  WHERE
    (
      NOT u IS NULL
    )
    AND (
      REGEXP_FULL_MATCH(c1, '(?s)a.*')
    )
    AND (
      d0 IN (
        SELECT
          CAST(UNNEST(
            FROM_JSON('["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"]', '["VARCHAR"]')
          ) AS BIGINT)
      )
    )
), p AS (
  SELECT
    u,
    k0,
    COUNT(*) AS n,
    COUNT(
      (
        (
          CASE WHEN d1 < -1200 THEN -1200 WHEN d1 > 6010 THEN 6010 ELSE d1 END
        ) - (
          0
        )
      )
    ) AS n0,
    SUM(
      (
        (
          CASE WHEN d1 < -1200 THEN -1200 WHEN d1 > 6010 THEN 6010 ELSE d1 END
        ) - (
          0
        )
      )
    ) AS s0
  FROM t
  GROUP BY
    u,
    k0
), b AS (
  SELECT
    *
  FROM (
    SELECT
      *,
      ROW_NUMBER() OVER (PARTITION BY u ORDER BY HASH(u, k0, 5), k0) AS rank
    FROM p
  ) AS r
  WHERE
    rank <= 2
), f AS (
  SELECT
    k0,
    CASE WHEN n0 > 3 THEN (
      (
        s0 * 3
      ) // n0
    ) ELSE s0 END AS f0
  FROM b
), h AS (
  SELECT
    k0,
    CAST(CASE WHEN f0 < -3600 THEN -3600 WHEN f0 > 18030 THEN 18030 ELSE f0 END AS BIGINT) AS h0
  FROM f
)
SELECT
  k0,
  CAST(CASE
    WHEN COALESCE(SUM(h0), 0) < -4611686018427387904
    THEN -4611686018427387904
    WHEN COALESCE(SUM(h0), 0) > 4611686018427387904
    THEN 4611686018427387904
    ELSE COALESCE(SUM(h0), 0)
  END AS BIGINT) AS m0
FROM h
GROUP BY
  k0

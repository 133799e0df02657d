WITH s AS (
  SELECT
    "sick" AS c0,
    CAST("age" AS BIGINT) AS c1,
    CASE WHEN NOT ISNAN("weight") THEN CAST("weight" AS DOUBLE) END AS c2,
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
    c1,
    c2
  FROM s
  WHERE
    (
      NOT u IS NULL
    )
    AND (
      c0 IN (
        SELECT
          CAST(UNNEST(FROM_JSON('["False", "True"]', '["VARCHAR"]')) AS BOOLEAN)
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
          CASE WHEN c1 < 0 THEN 0 WHEN c1 > 110 THEN 110 ELSE c1 END
        ) - (
          0
        )
      )
    ) AS n0,
    SUM(
      (
        (
          CASE WHEN c1 < 0 THEN 0 WHEN c1 > 110 THEN 110 ELSE c1 END
        ) - (
          0
        )
      )
    ) AS s0,
    COUNT(
      (
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
        ) - (
          1477
        )
      )
    ) AS n1,
    SUM(
      (
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
        ) - (
          1477
        )
      )
    ) AS s1,
    COUNT(c2) AS n2
  FROM t
  GROUP BY
    u,
    k0
), b AS (
  SELECT
    *
  FROM p
), f AS (
  SELECT
    k0,
    CASE WHEN n0 > 3 THEN (
      (
        s0 * 3
      ) // n0
    ) ELSE s0 END AS f0,
    CASE WHEN n1 > 3 THEN (
      (
        s1 * 3
      ) // n1
    ) ELSE s1 END AS f1,
    n2 AS f2
  FROM b
), h AS (
  SELECT
    k0,
    CAST(CASE WHEN f0 < 0 THEN 0 WHEN f0 > 330 THEN 330 ELSE f0 END AS BIGINT) AS h0,
    CAST(CASE WHEN f1 < -4581 THEN -4581 WHEN f1 > 4584 THEN 4584 ELSE f1 END AS BIGINT) AS h1,
    CASE WHEN f2 < 0 THEN 0 WHEN f2 > 3 THEN 3 ELSE f2 END AS h2
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
  END AS BIGINT) AS m0,
  CAST(CASE
    WHEN COALESCE(SUM(h1), 0) < -4611686018427387904
    THEN -4611686018427387904
    WHEN COALESCE(SUM(h1), 0) > 4611686018427387904
    THEN 4611686018427387904
    ELSE COALESCE(SUM(h1), 0)
  END AS BIGINT) AS m1,
  CAST(CASE
    WHEN COALESCE(SUM(h2), 0) < -4611686018427387904
    THEN -4611686018427387904
    WHEN COALESCE(SUM(h2), 0) > 4611686018427387904
    THEN 4611686018427387904
    ELSE COALESCE(SUM(h2), 0)
  END AS BIGINT) AS m2
FROM h
GROUP BY
  k0

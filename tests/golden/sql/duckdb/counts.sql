WITH s AS (
  SELECT
    CASE WHEN LENGTH(CAST("city" AS TEXT)) <= 10000 THEN CAST("city" AS TEXT) END COLLATE "binary" AS c0,
    CAST("age" AS BIGINT) AS c1,
    CASE WHEN LENGTH(CAST("job" AS TEXT)) <= 10000 THEN CAST("job" AS TEXT) END COLLATE "binary" AS c2,
    CASE WHEN LENGTH(CAST("person" AS TEXT)) <= 10000 THEN CAST("person" AS TEXT) END COLLATE "binary" AS u
  FROM (
    SELECT
      *
    FROM people
  ) AS o
), t AS (
  SELECT
    u,
    c0 AS k0
  FROM s
  WHERE
    (
      NOT u IS NULL
    )
    AND (
      (
        (
          c1 > CAST('20' AS BIGINT)
        ) AND (
          NOT (
            c2 IS NULL
          )
        )
      )
    )
    AND (
      c0 IN (
        SELECT
          CAST(UNNEST(FROM_JSON('["Crato", "Sobral", "d''água"]', '["VARCHAR"]')) AS TEXT)
      )
    )
), p AS (
  SELECT
    u,
    k0,
    COUNT(*) AS n
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
    n AS f0
  FROM b
), h AS (
  SELECT
    k0,
    CASE WHEN f0 < 0 THEN 0 WHEN f0 > 3 THEN 3 ELSE f0 END AS h0
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

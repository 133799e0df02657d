-- Questions that must be refused before anything is read or spent. One a line; this file grows.
SELECT * FROM people
SELECT person FROM people
SELECT person, COUNT(*) FROM people GROUP BY person
SELECT MIN(age) FROM people
SELECT MAX(age) FROM people
SELECT age FROM people LIMIT 1
SELECT FIRST(age) FROM people
SELECT LIST(age) FROM people
SELECT STRING_AGG(job, ',') FROM people
SELECT COUNT(*) FROM people WHERE person = 'p1'
SELECT COUNT(*) FROM people WHERE 1 / (room - 7) > 0
SELECT COUNT(*) FROM people WHERE age / 0 > 1
SELECT COUNT(*) FROM people WHERE age % 0 > 1
SELECT COUNT(*) FROM people WHERE CAST(job AS INTEGER) = 1
SELECT COUNT(*) FROM people WHERE LOG(age) > 0
SELECT COUNT(*) FROM people WHERE age = '7'
SELECT COUNT(*) FROM people WHERE job = 5
SELECT COUNT(*) FROM people WHERE age = 99999999999999999999
SELECT COUNT(*) FROM people WHERE error('x')
SELECT COUNT(*) FROM people WHERE RANDOM() < 0.5
SELECT COUNT(*) FROM people WHERE age IN (SELECT age FROM people)
SELECT COUNT(*) FROM people WHERE EXISTS (SELECT 1 FROM people)
SELECT COUNT(*) FROM people WHERE (SELECT COUNT(*) FROM people) > 5
SELECT COUNT(*) FROM people WHERE job LIKE '%a%a%a%a%a%'
SELECT COUNT(*) FROM people WHERE job LIKE city
SELECT COUNT(*) FROM people WHERE age LIKE '1%'
SELECT COUNT(*) FROM people WHERE job LIKE 'a!' ESCAPE '!'
SELECT COUNT(*) FROM people WHERE job LIKE 'a' ESCAPE '!!'
SELECT COUNT(*) FROM people WHERE job SIMILAR TO '(a+)+'
SELECT COUNT(*) FROM people WHERE job ~ '(a+)+$'
SELECT COUNT(*) FROM people WHERE room + 1 > 2
SELECT COUNT(*) FROM people WHERE job + 1 > 2
SELECT COUNT(*) FROM people WHERE age + 1 > 'x'
SELECT COUNT(*) FROM people WHERE person + 1 > 2
SELECT COUNT(*) FROM people WHERE COUNT(*) > 2
SELECT COUNT(*) FROM people WHERE 'a' = 'a'
SELECT COUNT(*) FROM people GROUP BY ALL
SELECT COUNT(*) FROM people GROUP BY age / 10
SELECT COUNT(*) FROM people GROUP BY COUNT(*)
SELECT city, COUNT(*) FROM people GROUP BY 3
SELECT city, COUNT(*) FROM people GROUP BY 0
SELECT city, COUNT(*) FROM people GROUP BY '1'
SELECT age // 10, COUNT(*) FROM people GROUP BY age // 20
SELECT job AS x, COUNT(*) FROM people GROUP BY y
SELECT COUNT(*) FROM people GROUP BY 1
SELECT COUNT(*) FROM people GROUP BY ROLLUP (city)
SELECT COUNT(*) FROM people GROUP BY CUBE (city)
SELECT COUNT(*) FROM people GROUP BY GROUPING SETS ((city), ())
SELECT weight, COUNT(*) FROM people GROUP BY weight
SELECT COUNT(*) FROM people TABLESAMPLE 10 PERCENT
SELECT COUNT(*) FROM people USING SAMPLE 1
SELECT COUNT(*) FROM people, people
SELECT COUNT(*) FROM people AS a JOIN people AS b ON TRUE
SELECT COUNT(*) FROM people CROSS JOIN people
SELECT COUNT(*) FROM (SELECT DISTINCT city FROM people) AS a
SELECT COUNT(*) FROM (SELECT city FROM people LIMIT 1) AS a
SELECT COUNT(*) FROM (SELECT age + 1 FROM people) AS a
SELECT COUNT(*) FROM (SELECT person FROM people GROUP BY person) AS a
SELECT COUNT(*) FROM read_csv('/etc/passwd')
SELECT COUNT(*) FROM '/etc/passwd'
SELECT COUNT(*) FROM information_schema.tables
SELECT COUNT(*) FROM main.people
SELECT COUNT(*) FROM cobogo_source
SELECT COUNT(*) FROM cobogo_debits
WITH x AS (SELECT * FROM people) SELECT COUNT(*) FROM x, x AS y
SELECT COUNT(*) FROM people UNION SELECT COUNT(*) FROM people
SELECT COUNT(*) FROM people; DROP TABLE cobogo_debits
INSERT INTO people VALUES (1)
UPDATE people SET age = 1
DELETE FROM people
DROP TABLE people
CREATE TABLE x AS SELECT * FROM people
COPY people TO '/dev/stdout'
ATTACH 'ledger.db'
PRAGMA database_list
SET memory_limit = '1MB'
CALL pg_sleep(10)
EXPLAIN SELECT COUNT(*) FROM people
EXPLAIN ANALYZE SELECT COUNT(*) FROM people
DESCRIBE people
SHOW TABLES
SELECT COUNT(*) OVER () FROM people
SELECT SUM(age) OVER (PARTITION BY city) FROM people
SELECT COUNT(*) FILTER (WHERE room + 1 > 3) FROM people
SELECT COUNT(DISTINCT person) FILTER (WHERE age > 3) FROM people
SELECT SUM(DISTINCT age) FROM people
SELECT SUM(age * 100000000000000) FROM people
SELECT SUM(age * age * age * age * age * age * age * age) FROM people
SELECT VARIANCE(age * 1000000) FROM people
SELECT SUM(weight * 0.0000000001) FROM people
SELECT SUM(weight * weight * weight * weight * weight * weight * weight * weight * weight * weight) FROM people
SELECT SUM(SUM(age)) FROM people
SELECT SUM(CASE WHEN age > 1 THEN 'a' ELSE 1 END) FROM people
SELECT SUM(CASE WHEN age > 1 THEN room END) FROM people
SELECT SUM(YEAR(job)) FROM people
SELECT SUM(YEAR(age)) FROM people
SELECT SUM(DAYOFWEEK(day)) FROM people
SELECT SUM(DATE_PART('epoch', day)) FROM people
SELECT SUM(SQRT(age)) FROM people
SELECT SUM(age ^ 2) FROM people
SELECT SUM(age << 2) FROM people
SELECT SUM(CAST(job AS INTEGER)) FROM people
SELECT SUM(TRY_CAST(age AS VARCHAR)) FROM people
SELECT SUM(ROUND(age, -1)) FROM people
SELECT SUM(age + NULL) FROM people
SELECT SUM(sick) FROM people
SELECT SUM(room) FROM people
SELECT SUM(job) FROM people
SELECT AVG(room) FROM people
SELECT COUNT(DISTINCT weight) FROM people
SELECT COUNT(DISTINCT city, job) FROM people
SELECT COUNT(*) + city FROM people GROUP BY city
SELECT COUNT(*) + age FROM people
SELECT SQRT(COUNT(*)) FROM people
SELECT YEAR(day), COUNT(*) FROM people GROUP BY day
SELECT CAST(COUNT(*) AS VARCHAR) FROM people
SELECT 1 FROM people
SELECT COALESCE(COUNT(*), 'none') FROM people
SELECT CASE WHEN age > 5 THEN COUNT(*) END FROM people
SELECT COUNT(*) FROM people HAVING age > 5
SELECT COUNT(*) FROM people HAVING MAX(age) > 5
SELECT city, COUNT(*) FROM people GROUP BY city HAVING city > 5
SELECT COUNT(*) FROM people QUALIFY ROW_NUMBER() OVER () = 1
SELECT DISTINCT COUNT(*) FROM people
SELECT DISTINCT ON (city) COUNT(*) FROM people
SELECT COUNT(*) FROM people ORDER BY age
SELECT COUNT(*) FROM people ORDER BY RANDOM()
SELECT COUNT(*) FROM people LIMIT (SELECT 1)
SELECT COUNT(*) FROM people OFFSET (SELECT 1)
SELECT COUNT(*) FROM people LIMIT 10 PERCENT
SELECT COUNT(*) FROM people FOR UPDATE
SELECT COUNT(*) INTO x FROM people
SELECT COUNT(*)
SELECT QUANTILE(age, 0) FROM people
SELECT QUANTILE(age, 2) FROM people
SELECT QUANTILE(age, [0.1, 0.2]) FROM people
SELECT MEDIAN(job) FROM people
SELECT COUNT(*) AS a, COUNT(*) AS a FROM people
SELECT COUNT(*) FROM people WHERE day = '2020-02-30'
SELECT COUNT(*) FROM people WHERE age = ?
SELECT COUNT(*) FROM people WHERE age = $1
SELECT COUNT(*) FROM people WHERE age = NULL
SELECT COUNT(*) FROM people WHERE 1
SELECT COUNT(*) FROM people AS p WHERE people.age > 3
SELECT COUNT(*) FROM people WHERE other.age > 3
SELECT COUNT(*) FROM people AS p(a, b)
SELECT COUNT(*) FROM people ORDER BY 2
SELECT x.y.z, COUNT(*) FROM people GROUP BY 1
SELECT COUNT(*) FROM people WHERE city COLLATE NOCASE = 'crato'
SELECT COUNT(*) FROM people WHERE city IN ()
SELECT pg_read_file('/etc/passwd') FROM people
SELECT getenv('HOME') FROM people
SELECT COUNT(*) FROM people JOIN regions ON TRUE
SELECT COUNT(*) FROM people JOIN regions ON people.city > regions.city
SELECT COUNT(*) FROM people CROSS JOIN regions
SELECT COUNT(*) FROM people LEFT JOIN regions USING (city)
SELECT COUNT(*) FROM people NATURAL JOIN regions
SELECT COUNT(*) FROM people JOIN regions USING (job)
SELECT COUNT(*) FROM people JOIN regions USING (city) JOIN regions USING (city)
SELECT COUNT(*) FROM people JOIN people USING (city)
SELECT COUNT(*) FROM people JOIN (SELECT * FROM people) USING (city)
SELECT COUNT(*) FROM people POSITIONAL JOIN regions
SELECT COUNT(*) FROM people ASOF JOIN regions USING (city)
SELECT COUNT(*) FROM people SEMI JOIN regions USING (city)
SELECT COUNT(*) FROM people ANTI JOIN regions USING (city)
SELECT COUNT(*) FROM regions
SELECT COUNT(*) FROM regions JOIN people USING (city)
not even SQL (
SELECT COUNT(*) FROM (SELECT city FROM (SELECT age FROM people) AS a) AS b
SELECT COUNT(*) FROM (SELECT age FROM (SELECT age FROM people LIMIT 1) AS a) AS b
SELECT COUNT(*) FROM people WHERE job ILIKE '%a%a%a%a%a%'
SELECT COUNT(*) FROM people WHERE age ILIKE '1%'
SELECT COUNT(*) FROM people WHERE LOWER(age) = '1'
SELECT COUNT(*) FROM people WHERE LOWER(person) = 'p1'
SELECT COUNT(*) FROM people WHERE person ILIKE 'p1'
SELECT DATE_TRUNC('hour', day), COUNT(*) FROM people GROUP BY 1
SELECT DATE_TRUNC('month', age), COUNT(*) FROM people GROUP BY 1
SELECT DATE_TRUNC('month', job), COUNT(*) FROM people GROUP BY 1
SELECT DATE_TRUNC(job, day), COUNT(*) FROM people GROUP BY 1
SELECT SUM(DATE_TRUNC('month', day)) FROM people
SELECT MEDIAN(DATE_TRUNC('month', day)) FROM people
SELECT COUNT(*) FROM people WHERE CAST(job AS DATE) = DATE '2020-01-01'
SELECT COUNT(*) FROM people WHERE DATE_TRUNC('month', day) = '2020-13-01'

#!/usr/bin/env bash
# DuckDB reads 05.03.26 in a CSV file as 26 March 2005, and what it makes of a date depends on the other rows of the file.
#
# Library    @duckdb/node-api 1.5.6-r.1 (DuckDB 1.5.6)
# Behaviour  The reader tries forms of dates in an order, and the first that suits every row wins. With a year of two digits,
#            year-month-day comes first, also between dots and slashes: the years 2001 to 2031 pass as days, so European short
#            dates of these years are swapped without a word, until a file has one from outside of them. In an American file a 31
#            behind the first slash rescues it, so 01/05/26 is January in one export and May 2001 in the next one. With four
#            digits the days are right in a file that has one after the 12th and swapped with the month in one that has not.
#            Several such files read into one table do not differ in type, only in meaning. A `dateformat` helps.
# Source     duckdb.org/docs/stable/data/csv/auto_detection (Dates and Timestamps), and the output below, seen on Node 20.20.2 on
#            2026-11-28.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund @duckdb/node-api@1.5.6-r.1
cat >try.mjs <<'JS'
import { writeFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';

const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
const connection = await instance.connect();

async function read(name, dates) {
  writeFileSync(`${name}.csv`, ['member,joined', ...dates.map((date) => `Ada,${date}`), ''].join('\n'));
  const result = await connection.runAndReadAll(`select joined from read_csv('${name}.csv')`);
  const seen = result.getRowsJson().map(([date]) => date);
  console.log(`${name}: ${dates.join(' ')} -> ${result.columnTypes()[0]} ${seen.join(' ')}`);
}

await read('german', ['05.03.26', '31.01.26']);
await read('german-from-1999', ['05.03.26', '31.12.99']);
await read('british', ['05/03/26', '31/01/26']);
await read('american-january', ['01/05/26', '01/31/26']);
await read('american-week', ['01/05/26', '01/09/26']);
await read('american-long-january', ['01/05/2026', '01/31/2026']);
await read('american-long-week', ['01/05/2026', '01/09/2026']);
JS
diff - <(node try.mjs) <<'SEEN'
german: 05.03.26 31.01.26 -> DATE 2005-03-26 2031-01-26
german-from-1999: 05.03.26 31.12.99 -> DATE 2026-03-05 1999-12-31
british: 05/03/26 31/01/26 -> DATE 2005-03-26 2031-01-26
american-january: 01/05/26 01/31/26 -> DATE 2026-01-05 2026-01-31
american-week: 01/05/26 01/09/26 -> DATE 2001-05-26 2001-09-26
american-long-january: 01/05/2026 01/31/2026 -> DATE 2026-01-05 2026-01-31
american-long-week: 01/05/2026 01/09/2026 -> DATE 2026-05-01 2026-09-01
SEEN
echo 'as described'

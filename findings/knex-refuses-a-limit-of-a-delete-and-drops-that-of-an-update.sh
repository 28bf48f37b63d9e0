#!/usr/bin/env bash
# knex refuses to delete with a limit, as the limit would be lost; to an update it does just that, and every row is changed.
#
# Library    knex 3.3.0, for PostgreSQL and SQLite (for MySQL, which knows such limits, it writes them)
# Behaviour  `where(…).orderBy('id').limit(1).del()` raises an error, because these databases have no LIMIT there: it would delete all
#            that match. Having met that error, one takes `update` with a limit, which raises none, for supported. It is compiled
#            without the limit, the offset and the order: "give the next free seat to …" or "take one job from the queue" changes
#            every row that matches. The number of changed rows is the only sign. A delete loses `offset` without a word, too.
#            A condition like `where id = (select id … limit 1)` helps.
# Source     knexjs.org/guide/query-builder.html (update, limit), the changelog of knex 3.2.0, and the output below, seen on Node
#            20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund knex@3.3.0
cat >try.cjs <<'JS'
const knex = require('knex');

for (const client of ['pg', 'better-sqlite3']) {
  const jobs = () => knex({ client, useNullAsDefault: true })('job').where({ state: 'new' }).orderBy('id');
  const statements = {
    'delete, limit': () => jobs().limit(1).del(),
    'delete, offset': () => jobs().offset(5).del(),
    'update, limit': () => jobs().limit(1).update({ state: 'taken' }),
  };
  for (const [name, build] of Object.entries(statements)) {
    let seen;
    try {
      seen = build().toString();
    } catch (error) {
      seen = `refused: ${error.message}`;
    }
    console.log(`${client}, ${name}: ${seen}`);
  }
}
JS
diff - <(node try.cjs) <<'SEEN'
pg, delete, limit: refused: Aborted query compilation: `limit` has no effect on a `delete` statement
pg, delete, offset: delete from "job" where "state" = 'new'
pg, update, limit: update "job" set "state" = 'taken' where "state" = 'new'
better-sqlite3, delete, limit: refused: Aborted query compilation: `limit` has no effect on a `delete` statement
better-sqlite3, delete, offset: delete from `job` where `state` = 'new'
better-sqlite3, update, limit: update `job` set `state` = 'taken' where `state` = 'new'
SEEN
echo 'as described'

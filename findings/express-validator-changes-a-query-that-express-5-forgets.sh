#!/usr/bin/env bash
# express-validator turns `?page=2` into a number for Express 4; with Express 5 the route still sees the text, and no default.
#
# Library    express-validator 7.3.2 with express 5.3.0, and for comparison express 4.22.1
# Behaviour  `query('page').default(1).toInt()` changes the request, so routes read `req.query.page`. In Express 5 `req.query` is a
#            getter that parses the address anew at each reading: the library writes into an object that nobody sees again. It
#            raises no error (only assigning `req.query` itself does), the rule is still checked, and validationResult says that
#            all is well. What the route gets is what was sent: '2' instead of 2, nothing instead of the default, blanks instead
#            of trimmed text, and `page + 1` is 21. `req.body` and `req.params` are changed as before, so most rules of the same
#            program work. Any middleware that writes into `req.query` has it. `matchedData(req)` has the changed values.
# Source     expressjs.com/en/guide/migrating-5.html (req.query), github.com/express-validator/express-validator/issues/1325, and
#            the output below, seen on Node 20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund express-validator@7.3.2 express5@npm:express@5.3.0 express4@npm:express@4.22.1
cat >try.mjs <<'JS'
import express4 from 'express4';
import express5 from 'express5';
import { matchedData, param, query, validationResult } from 'express-validator';

for (const [name, express] of Object.entries({ express4, express5 })) {
  const app = express();
  const rules = [param('id').toInt(), query('page').isInt().toInt(), query('items').default(10).toInt(), query('name').trim()];
  app.get('/:id', ...rules, (request, response) => {
    const { id, page, items, name } = { ...request.params, ...request.query };
    response.json({ valid: validationResult(request).isEmpty(), seen: { id, page, items, name }, meant: matchedData(request) });
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/7?page=2&name=%20Ada`);
  console.log(name, await answer.text());
  server.closeAllConnections();
  server.close();
}
JS
diff - <(node try.mjs) <<'SEEN'
express4 {"valid":true,"seen":{"id":7,"page":2,"items":10,"name":"Ada"},"meant":{"id":7,"page":2,"items":10,"name":"Ada"}}
express5 {"valid":true,"seen":{"id":7,"page":"2","name":" Ada"},"meant":{"id":7,"page":2,"items":10,"name":"Ada"}}
SEEN
echo 'as described'

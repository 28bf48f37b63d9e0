#!/usr/bin/env bash
# In a test of node:test, every await takes about fifty times as long as outside: what is measured there is mostly the runner.
#
# Library    node:test of Node 20.20.2, 22.22.0, 24.14.0 and 26.2.0
# Behaviour  The first test turns on a hook for every promise of the process, with its end, to know which test an uncaught error
#            belongs to. A million awaits take 0.1 s outside and over 4 s inside (26: 0.03 and 2.7), in every function that the
#            test calls, also in libraries. No option turns it off. Code with many small awaits looks slow, a pair of
#            implementations that differ in their awaits is compared wrongly, and a suite of such tests takes 10 to 20 % longer.
# Source     The output below, seen on 2026-11-29; how to see it: async_hooks.createHook with `init` and `destroy`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >loop.mjs <<'JS'
/** Milliseconds of CPU for a million awaits, warmed up. */
export async function cost() {
  const before = process.cpuUsage();
  for (let count = 0; count < 1_000_000; count += 1) await null;
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
JS
cat >outside.mjs <<'JS'
import { cost } from './loop.mjs';
await cost();
console.log(await cost());
JS
cat >inside.mjs <<'JS'
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { cost } from './loop.mjs';
test('a million awaits', async () => {
  await cost();
  writeFileSync('inside.txt', String(await cost()));
});
JS
for version in 20.20.2 22.22.0 24.14.0 26.2.0; do
  npm install --silent --no-audit --no-fund --prefix "$version" "node@$version" >/dev/null
  node="$version/node_modules/node/bin/node"
  outside=$("$node" outside.mjs)
  "$node" inside.mjs >/dev/null
  "$node" -e '
    const [version, outside, inside] = process.argv.slice(1);
    const ratio = Number(inside) / Number(outside);
    console.log(version, ratio > 15 ? "more than 15 times as long" : `only ${ratio.toFixed(1)} times as long`);
  ' "$version" "$outside" "$(cat inside.txt)"
done >seen.txt
diff seen.txt - <<'SEEN'
20.20.2 more than 15 times as long
22.22.0 more than 15 times as long
24.14.0 more than 15 times as long
26.2.0 more than 15 times as long
SEEN
echo 'as described'

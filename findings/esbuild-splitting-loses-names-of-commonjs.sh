#!/usr/bin/env bash
# With code splitting, names imported on demand from a CommonJS package are undefined; without it they are there.
#
# Tool       esbuild 0.28.2, with @zxcvbn-ts/language-common 4.1.3 as the CommonJS package
# Behaviour  Node finds the names that a CommonJS file exports, so `const { dictionary } = await import('…')` works. A bundle for Node
#            keeps that, until `splitting: true` is set: then the import leads to a chunk that has `default` alone, and the name is
#            undefined, without a warning. A static `import { dictionary } from '…'` works either way, so a module of one's own
#            between the two helps: `await import('./dictionary.js')`.
# Source     esbuild.github.io/api/#splitting, and the output below, seen on Node 20.20.2 on 2026-11-28.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund esbuild@0.28.2 @zxcvbn-ts/language-common@4.1.3
cat >direct.mjs <<'JS'
const { dictionary } = await import('@zxcvbn-ts/language-common');
console.log(typeof dictionary);
JS
echo "export { dictionary } from '@zxcvbn-ts/language-common';" >between.mjs
cat >by-way.mjs <<'JS'
const { dictionary } = await import('./between.mjs');
console.log(typeof dictionary);
JS
bundle() {
  npx --no-install esbuild "$1.mjs" --bundle --platform=node --format=esm --outdir=out --out-extension:.js=.mjs --log-level=error ${2:-}
  node "out/$1.mjs"
}
{
  echo "not bundled: $(node direct.mjs)"
  echo "bundled: $(bundle direct)"
  echo "bundled with splitting: $(bundle direct --splitting)"
  echo "by way of a module, with splitting: $(bundle by-way --splitting)"
} >seen.txt
diff - seen.txt <<'SEEN'
not bundled: object
bundled: object
bundled with splitting: undefined
by way of a module, with splitting: object
SEEN
echo 'as described'

#!/usr/bin/env bash
# `npm ci` compiles a package that `npm install` has just installed without compiling.
#
# Tool       npm 11.19.1 (10.9.4 and 11.6.2 do the same), with better-sqlite3 13.2.0 as the package
# Behaviour  The package ships compiled binaries and its sources with binding.gyp, and says `"gypfile": false`, so that npm does not
#            run its implied `node-gyp rebuild`. `npm install` obeys. The package-lock.json that it writes does not have the field,
#            and `npm ci`, which reads manifests from there, runs `node-gyp rebuild`: a minute of C++ on each machine and in each
#            container build, or a failure where there is no compiler. Adding `"gypfile": false` to the entry in the lock file by
#            hand helps, until the next `npm install` writes it anew.
# Source     docs.npmjs.com/cli/configuring-npm/package-json (gypfile), and the output below, seen on Node 20.20.2 on 2026-11-28. The
#            script gives npm a shell that only notes what it would run, so nothing is compiled.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --prefix tool npm@11.19.1
printf '#!/bin/sh\necho "$2" >>"%s/ran.txt"\n' "$folder" >shell.sh
chmod +x shell.sh
run() {
  rm -rf node_modules ran.txt
  node tool/node_modules/npm/bin/npm-cli.js "$@" --silent --no-audit --no-fund --engine-strict=false --script-shell="$folder/shell.sh"
  echo "npm $1 runs: $(cat ran.txt 2>/dev/null || echo nothing)"
}
{
  run install better-sqlite3@13.2.0
  echo "the package says $(grep -o '"gypfile": *[a-z]*' node_modules/better-sqlite3/package.json), its entry in the lock file has $(grep -c gypfile package-lock.json || true)"
  run ci
} >seen.txt
diff - seen.txt <<'SEEN'
npm install runs: nothing
the package says "gypfile": false, its entry in the lock file has 0
npm ci runs: node-gyp rebuild
SEEN
echo 'as described'

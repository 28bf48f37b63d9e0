#!/usr/bin/env bash
# A singleton of a parent container is made with the bindings of the child that asks first, and then given to everybody.
#
# Library    inversify 8.2.3
# Behaviour  A parent binds `user` and, in singleton scope, `report`, which is made from `user`. A child container binds another
#            `user`, as one does for a request. If the child asks for `report` first, it is made from the child's `user`, kept by
#            the parent, and from then on the parent and every other child get it. If the parent asks first, the child never gets
#            its own. One expects a singleton of the parent to see the parent only, or the child to have one of its own. Transient
#            bindings of the parent are made from the child's bindings, too, but are not kept.
# Source     inversify.io/docs/guides/containers (hierarchy), and the output below, seen on Node 20.20.2 on 2026-11-28.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund inversify@8.2.3 reflect-metadata@0.2.2
cat >try.mjs <<'JS'
import 'reflect-metadata';
import { Container } from 'inversify';

function containers() {
  const parent = new Container();
  parent.bind('user').toConstantValue('nobody');
  parent.bind('report').toResolvedValue((user) => `for ${user}`, ['user']).inSingletonScope();
  const ada = new Container({ parent });
  ada.bind('user').toConstantValue('Ada');
  const bob = new Container({ parent });
  bob.bind('user').toConstantValue('Bob');
  return { parent, ada, bob };
}

const one = containers();
console.log('the child first:', one.ada.get('report'), '|', one.bob.get('report'), '|', one.parent.get('report'));
const other = containers();
console.log('the parent first:', other.parent.get('report'), '|', other.ada.get('report'), '|', other.bob.get('report'));
JS
diff - <(node try.mjs) <<'SEEN'
the child first: for Ada | for Ada | for Ada
the parent first: for nobody | for nobody | for nobody
SEEN
echo 'as described'

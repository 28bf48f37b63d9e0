#!/usr/bin/env bash
# A test of a form with a virtual screen reader hears "textbox" for a checkbox, although it was given the window.
#
# Library    @guidepup/virtual-screen-reader 0.33.0 with jsdom 26.1.0
# Behaviour  `start({ container, window })` takes a window that is not the global one, and says links, headings and buttons
#            right. But what kind an <input> is, it asks of the global classes: without them every checkbox, radio button and
#            number field is a textbox, and neither "checked" nor "not checked" is said. Nothing is reported, so a test of a
#            form finds a fault that the page does not have. With the classes of the same window made global, all are right.
# Source     The output below, seen on Node 20.20.2 on 2026-11-30; the roles are those of the HTML Accessibility API Mappings.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund @guidepup/virtual-screen-reader@0.33.0 jsdom@26.1.0
cat >try.mjs <<'JS'
import { JSDOM } from 'jsdom';

const { window } = new JSDOM(
  '<main><a href="/">Home</a><label><input type="checkbox" checked> Send it</label><label><input type="number"> Seats</label></main>',
);
const known = ['window', 'document', 'Node', 'Element', 'HTMLElement', 'HTMLInputElement'];
if (process.argv[2] === 'global') for (const name of known) globalThis[name] = name === 'window' ? window : window[name];
const { Virtual } = await import('@guidepup/virtual-screen-reader');
const reader = new Virtual();
await reader.start({ container: window.document.body, window });
while ((await reader.lastSpokenPhrase()) !== 'end of document') await reader.next();
const said = await reader.spokenPhraseLog();
console.log(said.filter((phrase) => phrase.includes(', ')).join(' | '));
await reader.stop();
JS
diff - <(node try.mjs && node try.mjs global) <<'SEEN'
link, Home | textbox, Send it | textbox, Seats
link, Home | checkbox, Send it, checked | spinbutton, Seats
SEEN
echo 'as described'

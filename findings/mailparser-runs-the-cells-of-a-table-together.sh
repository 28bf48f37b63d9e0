#!/usr/bin/env bash
# A mail has a table with meeting 12 and 30 seats; the text that mailparser makes of it says 1230.
#
# Library    mailparser 3.14.2, with the html-to-text that it uses; html-to-text 10.0.1 alone does the same
# Behaviour  For a mail that has HTML only, mailparser gives a `text`, and one expects the words that a reader sees, apart as they are
#            seen. A cell of a table ends without a blank, so what stands in a row becomes one word: numbers side by side become
#            another number, which parses without an error, and a name and an address become an address that nobody has. Blanks or
#            line breaks in the source between the cells separate them, though they mean nothing in HTML: a test with an indented
#            table is right, the same table on one line is not. html-to-text has a format `dataTable` for it, which mailparser
#            does not use; reading `html` instead of `text` helps.
# Source     github.com/html-to-text/node-html-to-text (tables are read as layout unless told otherwise), and the output below, seen on
#            Node 20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund mailparser@3.14.2 html-to-text@10.0.1
cat >try.mjs <<'JS'
import { convert } from 'html-to-text';
import { simpleParser } from 'mailparser';

const row = ['12', '30', 'Ada', 'ada@example.test'].map((cell) => `<td>${cell}</td>`);
const tables = { 'on one line': row.join(''), indented: row.map((cell) => `\n  ${cell}`).join('') };
for (const [name, cells] of Object.entries(tables)) {
  const html = `<table><tr>${cells}</tr></table>`;
  const mail = ['From: bob@example.test', 'MIME-Version: 1.0', 'Content-Type: text/html', '', html, ''].join('\r\n');
  console.log(`${name}: mailparser ${JSON.stringify((await simpleParser(mail)).text)}, html-to-text ${JSON.stringify(convert(html))}`);
}
JS
diff - <(node try.mjs) <<'SEEN'
on one line: mailparser "1230Adaada@example.test", html-to-text "1230Adaada@example.test"
indented: mailparser "12 30 Ada ada@example.test", html-to-text "12 30 Ada ada@example.test"
SEEN
echo 'as described'

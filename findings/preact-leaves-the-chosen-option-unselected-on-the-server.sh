#!/usr/bin/env bash
# A form from Preact's server rendering shows the first choice, not the one that is set, if its options have text alone.
#
# Library    preact-render-to-string 6.8.2 with preact 11.2.0; right: react-dom 19.3.1
# Behaviour  An <option> without `value` has its text as its value, so `<select value="board">` chooses it: in the page with Preact, and
#            in React on the server too. Preact's server rendering compares `value` of the options only, marks none, and the browser
#            shows the first. A form that works without JavaScript then sends the first: whoever saves a new phone number makes
#            a board member a member. In the page the same component is right, and so is the server with `value` on each option.
# Source     html.spec.whatwg.org (the value of an option without the attribute is its text), and the output below, seen on Node
#            20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund preact-render-to-string@6.8.2 preact@11.2.0 react@19.3.1 react-dom@19.3.1 jsdom@26.1.0
cat >try.mjs <<'JS'
import { JSDOM } from 'jsdom';
import { h, render } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';

const { window } = new JSDOM('<!doctype html><form></form>');
const form = window.document.querySelector('form');
const sent = () => new window.FormData(form).get('role');

function show(name, props, options) {
  const view = (create) =>
    create('select', { name: 'role', ...props }, ...options.map((one) => create('option', { key: one, ...one.props }, one.text)));
  form.innerHTML = renderToString(view(h));
  const server = sent();
  form.innerHTML = renderToStaticMarkup(view(createElement));
  const react = sent();
  form.innerHTML = '';
  globalThis.document = window.document;
  render(view(h), form);
  console.log(`${name}: Preact on the server ${server}, in the page ${sent()}, React on the server ${react}`);
  render(null, form);
}

const named = ['member', 'board', 'auditor'].map((text) => ({ text, props: { value: text } }));
const bare = named.map(({ text }) => ({ text }));
show('with value', { value: 'board', onChange() {} }, named);
show('text alone', { value: 'board', onChange() {} }, bare);
JS
diff - <(node try.mjs) <<'SEEN'
with value: Preact on the server board, in the page board, React on the server board
text alone: Preact on the server member, in the page board, React on the server board
SEEN
echo 'as described'

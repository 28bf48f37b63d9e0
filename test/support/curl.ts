import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/**
 * A replacement for curl on machines without it. It has only the options that the documented commands use, and fails on
 * any other.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    'show-error': { type: 'boolean', short: 'S' },
    fail: { type: 'boolean', short: 'f' },
    globoff: { type: 'boolean', short: 'g' },
    get: { type: 'boolean', short: 'G' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true },
    data: { type: 'string', short: 'd', multiple: true },
    'data-urlencode': { type: 'string', multiple: true },
    output: { type: 'string', short: 'o' },
    'dump-header': { type: 'string', short: 'D' },
    'write-out': { type: 'string', short: 'w' },
  },
});

const [address, ...others] = positionals;
if (address === undefined || others.length > 0) throw new Error('one URL is needed');
// Without -g, curl reads brackets as lists of URLs.
if (values.globoff !== true && /[[\]{}]/.test(address)) throw new Error('brackets in the URL need -g');

const encoded = (values['data-urlencode'] ?? []).map((pair) => {
  const [name = '', ...value] = pair.split('=');
  return `${name}=${encodeURIComponent(value.join('='))}`;
});
const data = [...(values.data ?? []), ...encoded].join('&');
const url = new URL(/^https?:/.test(address) ? address : `http://${address}`);
if (values.get === true && data !== '') url.search = [url.search.slice(1), data].filter(Boolean).join('&');

const hasBody = data !== '' && values.get !== true;
const answer = await fetch(url, {
  method: values.request ?? (hasBody ? 'POST' : 'GET'),
  headers: {
    Accept: '*/*',
    ...(hasBody && { 'Content-Type': 'application/x-www-form-urlencoded' }),
    ...headersIn(values.header ?? []),
  },
  ...(hasBody && { body: data }),
  redirect: 'manual',
});
const body = Buffer.from(await answer.arrayBuffer());
if (values.fail === true && answer.status >= 400) {
  process.stderr.write(`curl: (22) The requested URL returned error: ${answer.status}\n`);
  process.exitCode = 22;
} else {
  if (values['dump-header'] === '-') process.stdout.write(headOf(answer));
  if (values.output === undefined) process.stdout.write(body);
  else writeFileSync(values.output, body);
  const text = (values['write-out'] ?? '').replaceAll('\\n', '\n');
  process.stdout.write(text.replaceAll('%{http_code}', String(answer.status)));
}

/** Names in one case, so that the later of two equal headers counts. */
function headersIn(lines: readonly string[]): Readonly<Record<string, string>> {
  const pairs = lines.map((line) => line.split(/: */, 2));
  const names: Readonly<Record<string, string>> = { 'content-type': 'Content-Type', accept: 'Accept' };
  return Object.fromEntries(
    pairs.map(([name = '', value = '']) => [names[name.toLowerCase()] ?? name, value]),
  );
}

function headOf({ status, headers }: Response): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status}`, ...lines, '', ''].join('\r\n');
}

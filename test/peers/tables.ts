import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainText } from '../support/page/client.js';
import { type Cell, csvRows, jsonRows, LABELS } from './dataset.js';
import type { Context, Group, Peer } from './peer.js';
import type { Product } from './product.js';

/** What a reader has read. */
interface Tables {
  readonly labels?: readonly string[];
  readonly csv: readonly (readonly Cell[])[];
  readonly ndjson?: readonly object[];
}

interface Reader extends Omit<Peer, 'run'> {
  /** `texts`: all values of CSV are texts, and a missing one is empty. `missing`: it is null. `types`: as in JSON. */
  readonly keeps: 'texts' | 'missing' | 'types';
  /** Its name in the guide, if that has a line for it. */
  readonly inGuide?: string;
  /** What it makes of line breaks, if it is not what is in the file. */
  readonly lineBreaks?: '\n';
  /** `line` is the line of the guide that loads an export with it, or empty. */
  read(context: Context, line: string): Promise<Tables>;
}

function expected(keeps: Reader['keeps']): Tables['csv'] {
  if (keeps === 'types') return csvRows;
  const missing = keeps === 'missing' ? null : '';
  return csvRows.map((row) => row.map((cell) => (cell === null ? missing : String(cell))));
}

async function tryReader({ keeps, lineBreaks, inGuide, read }: Reader, context: Context): Promise<void> {
  const product = await context.product();
  context.file('meetings.csv', await product.exported('text/csv'));
  context.file('meetings.ndjson', await product.exported('application/x-ndjson'));
  const line = inGuide === undefined ? '' : await guideLine(product, inGuide);
  const { labels = LABELS, csv, ndjson = jsonRows } = await read(context, line);
  assert.deepEqual(labels, LABELS);
  const rows = expected(keeps);
  const withBreaks = (cell: Cell) =>
    typeof cell === 'string' && lineBreaks ? cell.replaceAll('\r\n', lineBreaks) : cell;
  assert.deepEqual(
    csv,
    rows.map((row) => row.map(withBreaks)),
  );
  assert.deepEqual(ndjson, jsonRows);
}

/** The line that loads an export with a program, as a reader copies it. */
async function guideLine({ origin }: Product, program: string): Promise<string> {
  const page = await (await fetch(`${origin}/docs/guide/exports`)).text();
  const [, line = assert.fail(`the guide has no line for ${program}`)] =
    new RegExp(`>${program}<(?:(?!</tr>).)*<code>([^<]*)</code>`).exec(page) ?? [];
  return plainText(line);
}

/** Reads what the program prints: the CSV file with its first line, and the lines of the other file. */
const printed =
  (command: string, ...args: readonly string[]) =>
  async (context: Context): Promise<Tables> => {
    const { csv, ndjson } = JSON.parse(await context.exec(command, args));
    return { labels: csv[0], csv: csv.slice(1), ndjson };
  };

const PYTHON = `
import csv, json
table = list(csv.reader(open("meetings.csv", encoding="utf-8-sig", newline="")))
print(json.dumps({"csv": table, "ndjson": [json.loads(line) for line in open("meetings.ndjson", encoding="utf-8")]}))
`;

const PERL = `
use Text::CSV_XS; use JSON::XS;
open my $csv, "<", "meetings.csv" or die $!;
my $reader = Text::CSV_XS->new({ binary => 1, blank_is_undef => 1, auto_diag => 2 });
my @labels = $reader->header($csv, { munge_column_names => "none" });
my $rows = $reader->getline_all($csv);
open my $ndjson, "<", "meetings.ndjson" or die $!;
print encode_json { csv => [\\@labels, @$rows], ndjson => [map { decode_json $_ } <$ndjson>] };
`;

const readByR = (line: string): string => `
library(jsonlite)
rows <- read.csv("meetings.csv", fileEncoding = "UTF-8-BOM", check.names = FALSE, colClasses = "character", na.strings = character())
invisible(capture.output(${line}))
csv <- unname(rbind(names(rows), as.matrix(rows)))
cat(sprintf('{"csv":%s,"ndjson":%s}', toJSON(csv), toJSON(meetings, na = "null", digits = NA)))
`;

const SQLITE = `
.import --csv meetings.csv meetings
.mode json
SELECT * FROM meetings;
CREATE TABLE lines (line TEXT);
.mode ascii
.separator "\\037" "\\n"
.import meetings.ndjson lines
.mode list
.separator " " "\\n"
SELECT json_group_array(json(line)) FROM lines;
`;

async function readBySqlite(context: Context): Promise<Tables> {
  context.file('read.sql', SQLITE);
  const output = await context.exec('sqlite3', [':memory:', '.read read.sql']);
  const end = output.lastIndexOf('\n[');
  const rows = JSON.parse(output.slice(0, end)) as readonly Record<string, string>[];
  return {
    labels: Object.keys(rows[0] ?? {}),
    csv: rows.map((row) => Object.values(row)),
    ndjson: JSON.parse(output.slice(end)),
  };
}

const readIntoPostgres = (line: string): string => `
CREATE TABLE meetings (name text, topic text, start_time timestamptz, duration integer, status text, price numeric,
  max_attendees integer, description text, group_leader bigint, privacy boolean, wait_list boolean);
\\encoding LATIN1
${line}
\\encoding UTF8
CREATE TABLE lines (line jsonb);
\\copy lines FROM 'meetings.ndjson' WITH (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')
SELECT json_build_object(
  'csv', (SELECT json_agg(json_build_array(name, topic, to_char(start_time AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    duration, status, price, max_attendees, description, group_leader, privacy, wait_list)) FROM meetings),
  'ndjson', (SELECT json_agg(line) FROM lines));
`;

async function readByPsql(context: Context, line: string): Promise<Tables> {
  context.file('read.sql', readIntoPostgres(line));
  const options = ['--no-psqlrc', '--quiet', '--tuples-only', '--no-align', '--set=ON_ERROR_STOP=1'];
  const env = { PGCLIENTENCODING: 'UTF8' };
  return JSON.parse(await context.exec('psql', [context.postgresUrl, ...options, '--file=read.sql'], env));
}

const readByDuckDb = (line: string): string => `
import { DuckDBInstance } from '@duckdb/node-api';
const connection = await (await DuckDBInstance.create(':memory:')).connect();
const time = (column) => "replace (strftime(" + column + "::timestamptz at time zone 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ') as " + column + ')';
const read = (query) => connection.runAndReadAll(query);
const csv = await read('select * ' + time('"Start Time"') + " from read_csv('meetings.csv', allow_quoted_nulls = false)");
await connection.run(${JSON.stringify(line)});
const ndjson = await read('select * ' + time('start_time') + ' from meetings');
const number = (value) => (typeof value === 'bigint' ? Number(value) : value);
console.log(JSON.stringify({
  csv: [csv.columnNames(), ...csv.getRowsJS().map((row) => row.map(number))],
  ndjson: ndjson.getRowObjectsJS().map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, number(value)]))),
}));
`;

/** Converts a file as the line of the guide opens it. */
async function openInLibreOffice(context: Context, name: string, line: string): Promise<string> {
  const [program = '', ...args] = line.replace('meetings.csv', join(context.cwd, `${name}.csv`)).split(' ');
  await context.exec(program, [
    ...[`-env:UserInstallation=file://${context.cwd}/profile`, '--headless'],
    ...['--convert-to', 'fods', '--outdir', context.cwd, ...args],
  ]);
  return readFileSync(join(context.cwd, `${name}.fods`), 'utf8');
}

async function readByLibreOffice(context: Context, line: string): Promise<Tables> {
  context.file('control.csv', 'a,=1+1\r\nb,"=1+1"\r\n');
  assert.doesNotMatch(await openInLibreOffice(context, 'control', line), /table:formula=/);
  // The apostrophe protects also where formulas are evaluated, and the separator is another one.
  const evaluating = line.replace('false meetings', 'true meetings');
  assert.match(await openInLibreOffice(context, 'control', evaluating), /table:formula=/);
  for (const other of [evaluating, evaluating.replace(':44,', ':59,')])
    assert.doesNotMatch(await openInLibreOffice(context, 'meetings', other), /table:formula=/);
  const document = await openInLibreOffice(context, 'meetings', line);
  const numbers = document.match(/<table:table-cell [^>]*value-type="float"[^>]*>/g) ?? [];
  assert.equal(
    numbers.reduce((count, cell) => count + repeated(cell), 0),
    csvRows.flat().filter((cell) => typeof cell === 'number').length,
  );
  const rows = [...document.matchAll(/<table:table-row[^>]*>(.*?)<\/table:table-row>/gs)].map(
    ([, row = '']) =>
      [...row.matchAll(/<table:table-cell([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs)].flatMap(
        ([, attributes = '', content = '']) => {
          return Array<string>(Math.min(repeated(attributes), LABELS.length)).fill(cellText(content));
        },
      ),
  );
  const [labels = [], ...csv] = rows.slice(0, csvRows.length + 1);
  return { labels: labels.slice(0, LABELS.length), csv: csv.map((row) => row.slice(0, LABELS.length)) };
}

/** How many cells one after another are alike. */
function repeated(attributes: string): number {
  return Number(/number-columns-repeated="(\d+)"/.exec(attributes)?.[1] ?? 1);
}

function cellText(content: string): string {
  const paragraphs = [...content.matchAll(/<text:p(?:\/>|[^>]*>(.*?)<\/text:p>)/gs)].map(([, text = '']) =>
    text
      .replace(/<text:s(?: text:c="(\d+)")?\/>/g, (_, count = 1) => ' '.repeat(Number(count)))
      .replaceAll('<text:tab/>', '\t')
      .replace(/<[^>]*>/g, ''),
  );
  return plainText(paragraphs.join('\n')).replaceAll('&apos;', "'");
}

const readers: readonly Reader[] = [
  {
    name: 'Python (csv, json)',
    debian: ['python3'],
    keeps: 'texts',
    read: printed('/usr/bin/python3', '-c', PYTHON),
  },
  {
    name: 'Perl (Text::CSV_XS, JSON::XS)',
    debian: ['libtext-csv-xs-perl', 'libjson-xs-perl', 'perl'],
    needs: '`blank_is_undef => 1`',
    keeps: 'missing',
    read: printed('perl', '-e', PERL),
  },
  {
    name: 'R (read.csv, jsonlite)',
    debian: ['r-base-core', 'r-cran-jsonlite'],
    needs: '`na.strings = character()`',
    but: 'CRLF in a text becomes LF',
    lineBreaks: '\n',
    inGuide: 'R',
    keeps: 'texts',
    read: (context, line) => printed('Rscript', '-e', readByR(line))(context),
  },
  { name: 'sqlite3', debian: ['sqlite3'], keeps: 'texts', read: readBySqlite },
  {
    ...{ name: 'psql', debian: ['postgresql-client'], inGuide: 'psql' },
    ...{ keeps: 'types', read: readByPsql },
  },
  {
    name: 'DuckDB',
    npm: ['@duckdb/node-api@1.5.6-r.1'],
    needs: '`allow_quoted_nulls = false`',
    inGuide: 'DuckDB',
    keeps: 'types',
    read: async (context, line) => {
      context.file('read.mjs', readByDuckDb(line));
      return printed(context.node, 'read.mjs')(context);
    },
  },
  {
    name: 'LibreOffice',
    debian: ['libreoffice-calc-nogui'],
    inGuide: 'LibreOffice',
    but: 'CRLF in a text becomes LF',
    lineBreaks: '\n',
    keeps: 'texts',
    read: readByLibreOffice,
  },
];

export const tableGroup: Group = {
  title: 'Readers of CSV and NDJSON',
  tried:
    'Every type, empty and missing values, line breaks, and texts that look like numbers, dates, nulls or formulas.',
  peers: readers.map((reader): Peer => ({ ...reader, run: (context) => tryReader(reader, context) })),
};

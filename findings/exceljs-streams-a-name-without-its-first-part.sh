#!/usr/bin/env bash
# The streaming reader of exceljs reads Ada Lovelace as "Lovelace" and a Japanese name as how it sounds; its other reader is right.
#
# Library    exceljs 4.4.0, its `stream.xlsx.WorkbookReader` beside `Workbook.xlsx`; read-excel-file 9.3.17 reads both names right
# Library    exceljs 4.4.0, `stream.xlsx.WorkbookReader` beside `Workbook.xlsx`; read-excel-file 9.3.17 reads both names right
#            stands in its cell in several parts, as one word in bold makes it, it keeps the last part. Exceljs's own streaming
#            writer writes such cells, so the library loses what it has written. Excel in Japanese keeps how a name was typed
#            beside the name: that comes in the place of the name, and two people with two names become one reading. Nothing is
#            reported, and the number of rows is right. (The shared texts come first in the file here: where they come after
#            the sheet, the streaming reader now and then gives their numbers instead.)
# Source     ECMA-376 part 1, sections 18.4.8 (a text is all of its runs) and 18.4.6 (phonetic run, a hint beside the text),
#            github.com/exceljs/exceljs#streaming-xlsx-reader, and the output below, seen on Node 20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund exceljs@4.4.0 jszip@3.10.1 read-excel-file@9.3.17
cat >try.mjs <<'JS'
import { readFile, writeFile } from 'node:fs/promises';
import ExcelJS from 'exceljs';
import JSZip from 'jszip';
import { readSheet } from 'read-excel-file/node';

async function write(filename, useSharedStrings, names) {
  const workbook = new ExcelJS.stream.xlsx.WorkbookWriter({ filename, useSharedStrings });
  const sheet = workbook.addWorksheet('Members');
  for (const name of names) sheet.addRow([name]).commit();
  await workbook.commit();
}

const text = (value) => value.richText?.map((part) => part.text).join('') ?? value;

async function streamed(file) {
  const names = [];
  for await (const sheet of new ExcelJS.stream.xlsx.WorkbookReader(file, { sharedStrings: 'cache', worksheets: 'emit' })) {
    for await (const row of sheet) names.push(text(row.getCell(1).value));
  }
  return names;
}

async function whole(file) {
  const workbook = await new ExcelJS.Workbook().xlsx.readFile(file);
  return workbook.worksheets[0].getColumn(1).values.slice(1).map(text);
}

const bold = { richText: [{ text: 'Ada ' }, { font: { bold: true }, text: 'Lovelace' }] };
await write('parts.xlsx', false, [bold, 'Bob']);

await write('japanese.xlsx', true, ['山田', '山多']);
const { files } = await JSZip.loadAsync(await readFile('japanese.xlsx'));
const strings = 'xl/sharedStrings.xml';
const zip = new JSZip();
const sound = '<rPh sb="0" eb="2"><t>ヤマダ</t></rPh>';
zip.file(strings, (await files[strings].async('string')).replaceAll('</t></si>', `</t>${sound}</si>`));
for (const [name, file] of Object.entries(files)) if (name !== strings) zip.file(name, file.async('string'));
await writeFile('japanese.xlsx', await zip.generateAsync({ type: 'nodebuffer' }));

for (const file of ['parts.xlsx', 'japanese.xlsx']) {
  console.log(`${file}: streamed ${await streamed(file)}; whole ${await whole(file)}; read-excel-file ${await readSheet(file)}`);
}
JS
diff - <(node try.mjs) <<'SEEN'
parts.xlsx: streamed Lovelace,Bob; whole Ada Lovelace,Bob; read-excel-file Ada Lovelace,Bob
japanese.xlsx: streamed ヤマダ,ヤマダ; whole 山田,山多; read-excel-file 山田,山多
SEEN
echo 'as described'

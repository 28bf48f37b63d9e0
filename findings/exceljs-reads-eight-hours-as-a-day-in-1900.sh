#!/usr/bin/env bash
# exceljs reads "8 h" as 7 January 1900, and a date that is written as a date, 2026-11-30, as 18 July 1905.
#
# Library    exceljs 4.4.0; read-excel-file 9.3.17 reads both right
# Behaviour  A cell shows what its number format says: with `0\ \h` a number, a blank and the letter h, with `0\ \d` a number of days.
#            exceljs looks for letters of dates in the format and leaves out what is in quotation marks, but not what a backslash
#            makes plain: the number becomes a Date, and the sum of a column a text. Where a file is saved as "Strict Open XML", or
#            by a writer that is told to (openpyxl's `iso_dates`), dates stand in it as text of type `d`. exceljs reads that text
#            as a number, which ends at the first hyphen, so each date of a year becomes the same day in 1905. Neither is reported,
#            and both are Dates, as a check of types expects.
# Source     ECMA-376 part 1, sections 18.8.31 (a backslash shows the next character) and 18.18.11 (type d, ISO 8601), and the output
#            below, seen on Node 20.20.2 on 2026-11-30.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund exceljs@4.4.0 jszip@3.10.1 read-excel-file@9.3.17
cat >try.mjs <<'JS'
import { writeFile } from 'node:fs/promises';
import ExcelJS from 'exceljs';
import JSZip from 'jszip';
import { readSheet } from 'read-excel-file/node';

const written = new ExcelJS.Workbook();
const sheet = written.addWorksheet('Hours');
sheet.addRow(['0" h"', '0\\ \\h', '0\\ \\d', 'date as number', 'date as text']);
sheet.addRow([8, 8, 30, new Date('2026-11-30'), 1]);
for (const [index, format] of ['0" h"', '0\\ \\h', '0\\ \\d', 'yyyy-mm-dd', 'yyyy-mm-dd'].entries()) sheet.getCell(2, index + 1).numFmt = format;
const zip = await JSZip.loadAsync(await written.xlsx.writeBuffer());
const name = 'xl/worksheets/sheet1.xml';
const text = await zip.file(name).async('string');
zip.file(name, text.replace(/<c r="E2"( s="\d+")><v>1<\/v>/, '<c r="E2"$1 t="d"><v>2026-11-30</v>'));
await writeFile('hours.xlsx', await zip.generateAsync({ type: 'nodebuffer' }));

const read = await new ExcelJS.Workbook().xlsx.readFile('hours.xlsx');
const byExceljs = read.worksheets[0].getRow(2).values.slice(1);
const [titles, byOther] = await readSheet('hours.xlsx');
for (const [index, title] of titles.entries()) console.log(`${title}: exceljs ${JSON.stringify(byExceljs[index])}, read-excel-file ${JSON.stringify(byOther[index])}`);
JS
diff - <(node try.mjs) <<'SEEN'
0" h": exceljs 8, read-excel-file 8
0\ \h: exceljs "1900-01-07T00:00:00.000Z", read-excel-file 8
0\ \d: exceljs "1900-01-29T00:00:00.000Z", read-excel-file 30
date as number: exceljs "2026-11-30T00:00:00.000Z", read-excel-file "2026-11-30T00:00:00.000Z"
date as text: exceljs "1905-07-18T00:00:00.000Z", read-excel-file "2026-11-30T00:00:00.000Z"
SEEN
echo 'as described'

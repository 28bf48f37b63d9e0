import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  BookOpen,
  Building2,
  CalendarPlus,
  CircleAlert,
  CircleCheck,
  CircleUser,
  Copy,
  Download,
  LogOut,
  Search,
  Send,
  TriangleAlert,
} from 'lucide';

/**
 * Writes the shapes of the pages' icons from lucide's package, with its license. With `--check`, only fails if the file
 * differs. The package is not installed with `@rollcall/express`, so the file is committed.
 */
const icons = {
  account: CircleUser,
  calendar: CalendarPlus,
  copy: Copy,
  download: Download,
  error: CircleAlert,
  guide: BookOpen,
  organizations: Building2,
  search: Search,
  send: Send,
  signOut: LogOut,
  success: CircleCheck,
  warning: TriangleAlert,
};

const file = new URL('pages/design/icon-shapes.ts', import.meta.url);
const license = readFileSync(new URL('../../LICENSE', import.meta.resolve('lucide')), 'utf8').trim();

/** What is inside the `svg` of an icon. */
function shapeOf(icon) {
  return icon
    .map(([tag, attributes]) => `<${tag}${Object.entries(attributes).map(toText).join('')}/>`)
    .join('');
}

function toText([name, value]) {
  return ` ${name}="${value}"`;
}

const content = `/**
 * Icons of lucide. To change them: npm run generate -w @rollcall/express
 *
${license.replaceAll(/^/gm, ' * ').replaceAll(/ +$/gm, '')}
 */
// biome-ignore format: each shape is one line
export const iconShapes = {
${Object.entries(icons)
  .map(([name, icon]) => `  ${name}: '${shapeOf(icon)}',`)
  .join('\n')}
} as const;
`;

if (!process.argv.includes('--check')) writeFileSync(file, content);
else if (readFileSync(file, 'utf8') !== content) {
  process.stderr.write(`${fileURLToPath(file)} differs: npm run generate -w @rollcall/express\n`);
  process.exitCode = 1;
}

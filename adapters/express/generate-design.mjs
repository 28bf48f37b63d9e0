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
  Keyboard,
  LogOut,
  Search,
  Send,
  TriangleAlert,
} from 'lucide';

/**
 * Writes what the pages have of lucide and Pico, with their licenses. With `--check`, only fails if a file differs. The
 * packages are not installed with `@rollcall/express`, so the files are committed.
 */
const icons = {
  account: CircleUser,
  calendar: CalendarPlus,
  copy: Copy,
  download: Download,
  error: CircleAlert,
  guide: BookOpen,
  keys: Keyboard,
  organizations: Building2,
  search: Search,
  send: Send,
  signOut: LogOut,
  success: CircleCheck,
  warning: TriangleAlert,
};

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

const shapes = `/**
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

/** Pico without its `data:` icons, which the pages' policy forbids. The pages' own stylesheet has the icons in use. */
const pico = readFileSync(new URL(import.meta.resolve('@picocss/pico/css/pico.indigo.min.css')), 'utf8');
const styles = pico.replaceAll(/url\("data:[^"]*"\)/g, 'none');

for (const [path, content] of [
  ['pages/design/icon-shapes.ts', shapes],
  ['pages/design/styles/pico.css', styles],
]) {
  const file = new URL(path, import.meta.url);
  if (!process.argv.includes('--check')) writeFileSync(file, content);
  else if (readFileSync(file, 'utf8') !== content) {
    process.stderr.write(`${fileURLToPath(file)} differs: npm run generate -w @rollcall/express\n`);
    process.exitCode = 1;
  }
}

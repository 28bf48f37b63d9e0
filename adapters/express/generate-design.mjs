import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Writes what the pages have of lucide and Pico, with their licenses. The files are committed, because these packages are a
 * seventh of all files that would be installed.
 */
const folder = mkdtempSync(join(tmpdir(), 'rollcall-design-'));
const packages = ['lucide@1.65.0', '@picocss/pico@2.1.1'];
execFileSync('npm', ['install', '--prefix', folder, ...packages], { stdio: ['ignore', 'ignore', 'inherit'] });
const { resolve } = createRequire(join(folder, 'package.json'));
const lucide = await import(pathToFileURL(resolve('lucide')).href);
const icons = {
  account: lucide.CircleUser,
  calendar: lucide.CalendarPlus,
  copy: lucide.Copy,
  download: lucide.Download,
  error: lucide.CircleAlert,
  guide: lucide.BookOpen,
  keys: lucide.Keyboard,
  organizations: lucide.Building2,
  search: lucide.Search,
  send: lucide.Send,
  signOut: lucide.LogOut,
  success: lucide.CircleCheck,
  warning: lucide.TriangleAlert,
};

const license = readFileSync(join(folder, 'node_modules', 'lucide', 'LICENSE'), 'utf8').trim();

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
const pico = readFileSync(resolve('@picocss/pico/css/pico.indigo.min.css'), 'utf8');
const styles = pico.replaceAll(/url\("data:[^"]*"\)/g, 'none');

writeFileSync(new URL('pages/design/icon-shapes.ts', import.meta.url), shapes);
writeFileSync(new URL('pages/design/styles/pico.css', import.meta.url), styles);
rmSync(folder, { recursive: true });

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';
import { type Brand, brandColors } from './brand.js';
import { calendar, check, chevron, defaultAvatar, favicon } from './images.js';
import { readSource, readStylesheet } from './stylesheet.js';

type Asset = Readonly<ReturnType<typeof asset>>;

export type AssetLinks = Readonly<ReturnType<typeof loadAssets>['links']>;

export function loadAssets(brand: Brand) {
  // The accent and its text are the same in both modes.
  const colors = brandColors(brand.color, 'light');
  const tick = asset('image/svg+xml', favicon(colors));
  const logo = brand.logo === null ? tick : asset(brand.logo.type, brand.logo.body);
  const files = new Map<string, Asset>([
    ['pico.css', asset('text/css', readSource('design/styles/pico.css'))],
    ['rollcall.css', asset('text/css', readStylesheet(brand))],
    ['rollcall.js', asset('text/javascript', readScript('script.js'))],
    ['docs.js', asset('text/javascript', readScript('docs.js'))],
    ['calendar.svg', asset('image/svg+xml', calendar)],
    ['chevron.svg', asset('image/svg+xml', chevron)],
    ['check.svg', asset('image/svg+xml', check(colors))],
    ['default-avatar.svg', asset('image/svg+xml', defaultAvatar)],
    ['favicon.svg', tick],
    ['logo', logo],
  ]);
  const link = (name: string): string => `/assets/${name}?v=${files.get(name)?.version ?? ''}`;

  return {
    links: {
      pico: link('pico.css'),
      stylesheet: link('rollcall.css'),
      script: link('rollcall.js'),
      /** The brand's logo, which is also the icon of the site. */
      logo: { href: link('logo'), type: logo.type },
      /** The script of the docs alone. */
      docsScript: link('docs.js'),
    },
    /** Whether there is a file at `/assets/:name`. */
    has: (request: Request) => files.has(String(request.params.name)),
    /** Answers `/assets/:name`. Returns false if there is no such file. */
    serve(request: Request, response: Response): boolean {
      const file = files.get(String(request.params.name));
      if (file === undefined) return false;
      const isVersioned = request.query.v === file.version;
      response.set(
        'Cache-Control',
        isVersioned ? 'public, max-age=31536000, immutable' : 'public, max-age=86400',
      );
      response.vary('Accept-Encoding');
      // The API gives out the default avatar's address for use on other sites.
      response.set('Cross-Origin-Resource-Policy', 'cross-origin');
      response.set('Content-Type', /^text|svg/.test(file.type) ? `${file.type}; charset=utf-8` : file.type);
      send(request, response, file);
      return true;
    },
  };
}

/** Each encoding has its own tag, so that a cached one never stands in for the other. */
function send(request: Request, response: Response, file: Asset): void {
  const isCompressed = request.acceptsEncodings('gzip', 'identity') === 'gzip';
  const body = isCompressed ? file.compressed() : file.body;
  // `send` would replace the type of bytes unless it is set again.
  const type = response.get('Content-Type');
  response.set({ ETag: `"${file.version}${isCompressed ? '-gzip' : ''}"`, 'Content-Type': type });
  if (isCompressed) response.set('Content-Encoding', 'gzip');
  response.send(body);
}

function asset(type: string, content: string | Uint8Array) {
  // All answers share these bytes, so that slow readers need no copies.
  const body = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content);
  // An address with this hash never changes its content.
  const version = createHash('sha256').update(body).digest('base64url').slice(0, 12);
  let zipped: Buffer | undefined;
  /** With gzip, from the first request on: a start does not wait for it. */
  const compressed = (): Buffer => {
    zipped ??= gzipSync(body);
    return zipped;
  };
  return { type, body, version, compressed };
}

function readScript(name: string): string {
  return readFileSync(new URL(`../browser/${name}`, import.meta.url), 'utf8');
}

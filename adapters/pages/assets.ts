import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { calendar, check, chevron, defaultAvatar, favicon } from './design/pictures.js';
import { readReferenceStyles, readStylesheet } from './design/stylesheet.js';

interface Asset {
  readonly type: string;
  /** Bytes, which all answers share: readers who take nothing cost a connection each, and no copy. */
  readonly body: Buffer;
  /** The same with gzip, made when it is asked for first. */
  readonly packed: () => Promise<Buffer>;
  /** Of the content: with it in the address, the file never changes there. */
  readonly version: string;
}

/** The addresses that pages link to. */
export interface AssetLinks {
  readonly pico: string;
  readonly stylesheet: string;
  readonly script: string;
  readonly favicon: string;
  /** The reference of the interface: Swagger UI from its package, and what we add to it. */
  readonly swagger: string;
  readonly swaggerStyles: string;
  readonly referenceStyles: string;
  readonly referenceScript: string;
}

export interface Assets {
  readonly links: AssetLinks;
  /** Answers `/assets/:name`; false where there is no such file. */
  serve(request: Request, response: Response): boolean;
}

/** All files that pages load, read once. */
export function loadAssets(): Assets {
  const files = new Map<string, Asset>([
    ['pico.css', asset('text/css', pico())],
    ['rollcall.css', asset('text/css', readStylesheet())],
    ['rollcall.js', asset('text/javascript', readScript('script.js'))],
    ['swagger-ui.js', asset('text/javascript', readPackageFile('swagger-ui-dist/swagger-ui-bundle.js'))],
    ['swagger-ui.css', asset('text/css', readPackageFile('swagger-ui-dist/swagger-ui.css'))],
    ['reference.css', asset('text/css', readReferenceStyles())],
    ['reference.js', asset('text/javascript', readScript('reference.js'))],
    ['calendar.svg', asset('image/svg+xml', calendar)],
    ['chevron.svg', asset('image/svg+xml', chevron)],
    ['check.svg', asset('image/svg+xml', check)],
    ['default-avatar.svg', asset('image/svg+xml', defaultAvatar)],
    ['favicon.svg', asset('image/svg+xml', favicon)],
  ]);
  const link = (name: string): string => `/assets/${name}?v=${files.get(name)?.version ?? ''}`;

  return {
    links: {
      pico: link('pico.css'),
      stylesheet: link('rollcall.css'),
      script: link('rollcall.js'),
      favicon: link('favicon.svg'),
      swagger: link('swagger-ui.js'),
      swaggerStyles: link('swagger-ui.css'),
      referenceStyles: link('reference.css'),
      referenceScript: link('reference.js'),
    },
    serve(request, response) {
      const file = files.get(String(request.params.name));
      if (file === undefined) return false;
      const isVersioned = request.query.v === file.version;
      response.set(
        'Cache-Control',
        isVersioned ? 'public, max-age=31536000, immutable' : 'public, max-age=86400',
      );
      response.vary('Accept-Encoding');
      // The default avatar's address is handed out by the API, for pages elsewhere.
      response.set('Cross-Origin-Resource-Policy', 'cross-origin');
      response.set('Content-Type', `${file.type}; charset=utf-8`);
      void send(request, response, file);
      return true;
    },
  };
}

/** Two bodies have two tags: a client that has one of them must not be told that it has the other. */
async function send(request: Request, response: Response, file: Asset): Promise<void> {
  const isPacked = request.acceptsEncodings('gzip', 'identity') === 'gzip';
  const body = isPacked ? await file.packed() : file.body;
  // `send` takes bytes for a download unless the type is said again.
  const type = response.get('Content-Type');
  response.set({ ETag: `"${file.version}${isPacked ? '-gzip' : ''}"`, 'Content-Type': type });
  if (isPacked) response.set('Content-Encoding', 'gzip');
  response.send(body);
}

function asset(type: string, text: string): Asset {
  const body = Buffer.from(text);
  const version = createHash('sha256').update(body).digest('base64url').slice(0, 12);
  let packing: Promise<Buffer> | null = null;
  const packed = (): Promise<Buffer> => {
    packing ??= promisify(gzip)(body);
    return packing;
  };
  return { type, body, version, packed };
}

function readPackageFile(specifier: string): string {
  return readFileSync(fileURLToPath(import.meta.resolve(specifier)), 'utf8');
}

/** Its icons are data: addresses, which the pages' policy forbids: those that we need are in our own stylesheet. */
function pico(): string {
  const styles = readPackageFile('@picocss/pico/css/pico.indigo.min.css');
  return styles.replaceAll(/url\("data:[^"]*"\)/g, 'none');
}

/** A script of ours, compiled beside this file. */
function readScript(name: string): string {
  return readFileSync(new URL(`./browser/${name}`, import.meta.url), 'utf8');
}

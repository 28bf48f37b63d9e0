import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { decodeText } from './decode-text.js';
import { refuse } from './invalid-value.js';

/** The certificates of a PEM file, each as a PEM text. Throws when there is none, or one cannot be read. */
export function readCertificates(file: string): readonly string[] {
  const blocks = decodeText(readFileSync(file)).match(
    /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g,
  );
  if (blocks === null) throw new Error('the file contains no PEM certificate');
  for (const block of blocks) new X509Certificate(block);
  return blocks;
}

export function certificateFile(text: string): string {
  const file = resolve(text);
  try {
    readCertificates(file);
  } catch (error) {
    refuse(error instanceof Error ? error.message : undefined);
  }
  return file;
}

/** Null for a file that cannot be read: Node itself warns about it at start. */
export function readableCertificates(file: string | undefined): string | null {
  if (file === undefined || file === '') return null;
  try {
    readCertificates(file);
    return resolve(file);
  } catch {
    return null;
  }
}

import { createHmac } from 'node:crypto';
import { sameText } from './compare.js';

/** The alphabet of base32 (RFC 4648). */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP_MS = 30_000;

export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => ALPHABET[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('');
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The code of one number of 30 seconds: RFC 6238 with SHA-1 and six digits, as every app makes it. */
function codeOf(key: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigInt64BE(BigInt(step));
  const mac = createHmac('sha1', key).update(counter).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** The 30 seconds whose code it is: those of `at`, or the ones before or after. */
export function codeStep(
  secret: string,
  { code, at }: { readonly code: string; readonly at: Date },
): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const now = Math.floor(at.getTime() / STEP_MS);
  const key = fromBase32(secret);
  const isRight = (step: number): boolean => {
    const right = codeOf(key, step);
    return sameText(right, code);
  };
  return [now, now - 1, now + 1].find(isRight) ?? null;
}

/** Letters, digits, hyphens and dots, and characters beyond ASCII: nothing that ends a host in a URL. */
const POSSIBLE = /^[a-z0-9.\P{ASCII}-]+$/iu;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const ENCODED = /(?:^|\.)xn--/i;
const MAX_LABEL_CHARACTERS = 63;

/** Whether the host is written only in ASCII, without encoded labels such as `xn--bcher-kva`. */
function isPlain(host: string): boolean {
  return /^\p{ASCII}*$/u.test(host) && !ENCODED.test(host);
}

/**
 * The one form of a host name (UTS #46): in lower case, and as people read it: `xn--bcher-kva.example` is
 * `bücher.example`. A name with invisible characters stays encoded. Null: it is not a name that DNS can hold.
 */
export function readHost(host: string): string | null {
  if (isPlain(host)) return host.toLowerCase();
  const ascii = INVISIBLE.test(host) ? null : encodedHost(host);
  if (ascii === null) return null;
  const readable = decodedHost(ascii);
  if (encodedHost(readable) !== ascii) return null;
  return INVISIBLE.test(readable) ? ascii : readable;
}

/** The name as DNS has it, with `xn--` labels, or null. */
export function encodedHost(host: string): string | null {
  if (isPlain(host)) return host.toLowerCase();
  if (!POSSIBLE.test(host)) return null;
  try {
    // Marks in another order are the same text, and UTS #46 puts them into order only after it has replaced some (U+0345).
    // The tables of runtimes differ in `ẞ`.
    const name = host.normalize('NFC').replaceAll('ẞ', 'ß');
    // With another label at the end, no name is read as an IPv4 address.
    const { host: encoded } = new URL(`http://${name}.a`);
    const labels = encoded.split('.').slice(0, -1);
    return labels.every((label) => label.length <= MAX_LABEL_CHARACTERS) ? labels.join('.') : null;
  } catch {
    return null;
  }
}

/** Decodes a name that the parser of URLs has accepted, so that every label is valid Punycode. */
function decodedHost(ascii: string): string {
  const labels = ascii.split('.');
  return labels
    .map((label) => (label.startsWith('xn--') ? decodedLabel(label.slice('xn--'.length)) : label))
    .join('.');
}

const BASE = 36;
const MIN_DIGITS = 1;
const MAX_DIGITS = 26;

/** Decodes valid Punycode (RFC 3492). */
function decodedLabel(encoded: string): string {
  const end = encoded.lastIndexOf('-');
  const characters = [...encoded.slice(0, Math.max(end, 0))];
  const digits = encoded.slice(end + 1);
  let bias = 72;
  let codePoint = 128;
  let place = 0;
  for (let next = 0; next < digits.length; ) {
    const before = place;
    for (let weight = 1, step = BASE; ; step += BASE) {
      const digit = Number.parseInt(digits.charAt(next), BASE);
      next += 1;
      // Letters stand for 0 to 25, and digits for 26 to 35.
      const value = digit < 10 ? digit + 26 : digit - 10;
      place += value * weight;
      const threshold = Math.min(Math.max(step - bias, MIN_DIGITS), MAX_DIGITS);
      if (value < threshold) break;
      weight *= BASE - threshold;
    }
    const length = characters.length + 1;
    bias = adaptedBias(place - before, { length, isFirst: before === 0 });
    codePoint += Math.floor(place / length);
    place %= length;
    characters.splice(place, 0, String.fromCodePoint(codePoint));
    place += 1;
  }
  return characters.join('');
}

function adaptedBias(
  delta: number,
  { length, isFirst }: { readonly length: number; readonly isFirst: boolean },
): number {
  let rest = Math.floor(delta / (isFirst ? 700 : 2));
  rest += Math.floor(rest / length);
  let bias = 0;
  for (; rest > 455; bias += BASE) rest = Math.floor(rest / 35);
  return bias + Math.floor((36 * rest) / (rest + 38));
}

/** Every form in which a reader of a file or a log could recognize a secret. */
export function tracesOf(secret: string): readonly (readonly [form: string, bytes: Buffer])[] {
  const utf8 = Buffer.from(secret);
  const utf16 = Buffer.from(secret, 'utf16le');
  const reversed = [...secret].reverse().join('');
  const percent = [...utf8].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return [
    ['unchanged', utf8],
    ['in upper case', Buffer.from(secret.toUpperCase())],
    ['percent-encoded where necessary', Buffer.from(encodeURIComponent(secret))],
    ['percent-encoded', Buffer.from(percent)],
    ['percent-encoded in upper case', Buffer.from(percent.toUpperCase())],
    ['in JSON', Buffer.from(JSON.stringify(secret).slice(1, -1))],
    ['in hexadecimal', Buffer.from(utf8.toString('hex'))],
    ['in upper-case hexadecimal', Buffer.from(utf8.toString('hex').toUpperCase())],
    ['backwards', Buffer.from(reversed)],
    ['in UTF-16', utf16],
    ['in big-endian UTF-16', Buffer.from(utf16).swap16()],
    ['backwards in UTF-16', Buffer.from(reversed, 'utf16le')],
    ['in UTF-16 and base64', Buffer.from(utf16.toString('base64').slice(0, -4))],
    ...inBase64(utf8),
  ];
}

/** The Base64 forms at every alignment, without the first and last characters, which also encode adjacent bytes. */
function inBase64(bytes: Buffer): readonly (readonly [string, Buffer])[] {
  return [0, 1, 2].flatMap((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const inner = whole.slice(
      shift === 0 ? 0 : shift + 1,
      bytes.length % 3 === 0 && shift === 0 ? undefined : -2,
    );
    const url = inner.replaceAll('+', '-').replaceAll('/', '_');
    return [
      [`in base64 from byte ${shift}`, Buffer.from(inner)],
      [`in base64url from byte ${shift}`, Buffer.from(url)],
    ] as const;
  });
}

/** The names of the secrets found in one of the texts, with the form and the place. */
export function foundTraces(
  secrets: ReadonlyMap<string, string>,
  places: ReadonlyMap<string, Buffer>,
): readonly string[] {
  return [...secrets].flatMap(([name, secret]) =>
    tracesOf(secret).flatMap(([form, trace]) =>
      [...places]
        .filter(([, bytes]) => bytes.includes(trace))
        .map(([place]) => `${name} ${form} in ${place}`),
    ),
  );
}

/** Texts that reveal how the service is built. No response may contain them. */
export const internals: readonly RegExp[] = [
  /\bat (?:async )?[\w.<>]+ \(?(?:file:|\/|node:)/,
  /node_modules|node:internal|\.[jt]sx?:\d+|file:\/\//,
  /\/(?:work|home|tmp|usr|var|root|opt|app)\/\w/,
  /\b(?:SELECT|INSERT|UPDATE|DELETE)\b.{1,200}\b(?:FROM|INTO|SET|WHERE)\b/,
  // As a word: any four letters occur in a random token now and then.
  /sqlite|postgres|\bknex\b/i,
  /\b(?:express|inversify|busboy|body-parser|pino|preact|helmet)\b/i,
  /\bv?(?:18|20|22|24)\.\d+\.\d+\b|\bNode\.?js\b/,
  /\b(?:TypeError|RangeError|SyntaxError|ReferenceError|Error):/,
];

export function foundInternals(text: string): readonly string[] {
  return internals.flatMap((pattern) => {
    const found = pattern.exec(text);
    return found === null ? [] : [`${pattern}: ${found[0]}`];
  });
}

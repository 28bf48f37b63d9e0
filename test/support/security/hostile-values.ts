/** One hostile value in every form in which it can be sent. */
export interface HostileValue {
  readonly name: string;
  /** JSON text, also with numbers and nesting that no JavaScript value is encoded to. */
  readonly json: string;
  /** As one line of text, for a form or a header. */
  readonly text: string;
  /** As in a URL or an urlencoded form, where it stays one value. */
  readonly encoded: string;
}

/** Values that have broken parsers, encoders, databases, logs and pages: one list for every field. */
const hostileValues: readonly HostileValue[] = [
  // Types
  ...literals({
    null: 'null',
    true: 'true',
    false: 'false',
    zero: '0',
    one: '1',
    'negative one': '-1',
    'negative zero': '-0',
    'a fraction': '1.5',
    '2^31': '2147483648',
    '2^31 - 1': '2147483647',
    '-2^31 - 1': '-2147483649',
    '2^32': '4294967296',
    '2^53': '9007199254740992',
    '2^53 + 1': '9007199254740993',
    '2^63': '9223372036854775808',
    '-2^63 - 1': '-9223372036854775809',
    '2^64': '18446744073709551616',
    '1e999': '1e999',
    '-1e999': '-1e999',
    '1e-999': '1e-999',
    'a number of 400 digits': '9'.repeat(400),
    'an empty array': '[]',
    'an array of an array': '[["name"]]',
    'an array of null': '[null]',
    'an array of everything': '[0,"",null,{},[],true,"name"]',
    'an array with a good item and a bad one': '["name","constructor"]',
    'a long array': `[${Array.from({ length: 5000 }, () => '1').join()}]`,
    'an empty object': '{}',
    'an object like an array': '{"0":"name","length":1}',
    'an operator of a query language': '{"$gt":""}',
    'an object with a toString': '{"toString":"x","valueOf":"x"}',
    'own __proto__': '{"__proto__":{"enabled":true,"url":"https://x.test","email":"a@b.test"}}',
    'own constructor': '{"constructor":{"prototype":{"enabled":true}}}',
    'a key twice': '{"enabled":false,"enabled":"x"}',
    'nested 30 deep': `${'['.repeat(29)}1${']'.repeat(29)}`,
    'nested 10,000 deep': `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    'nested 10,000 deep and never closed': '{"a":'.repeat(10_000),
  }),

  // Texts that look like something else
  ...texts({
    'the empty text': '',
    spaces: '   ',
    'white space of all kinds': ' \u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\ufeff',
    NaN: 'NaN',
    Infinity: '-Infinity',
    undefined: 'undefined',
    'null as text': 'null',
    __proto__: '__proto__',
    constructor: 'constructor',
    hasOwnProperty: 'hasOwnProperty',
    toString: 'toString',
    'a leading zero': '01',
    'a decimal point': '1.0',
    'scientific notation': '1e0',
    'a hexadecimal number': '0x1',
    'a plus': '+1',
    'a number with spaces': ' 1 ',
    'digits of another script': '١',
    'full-width digits': '１',
    'digits with separators': '1_000,000',
    'a BigInt': '1n',

    // Characters
    NUL: 'a\u0000b',
    'all C0 controls but NUL': range(0x01, 0x1f),
    'DEL and all C1 controls': range(0x7f, 0x9f),
    'half of a surrogate pair': 'a\ud83d',
    'the other half': '\ude00b',
    'surrogates in the wrong order': '\ude00\ud83d',
    'right-to-left override': 'gro.\u202eelpmaxe\u202c',
    'a byte order mark': '\ufeffDana',
    'zero-width characters': 'Da\u200bna\u200d\u2060\u00ad',
    'a pile of combining marks': `Z${'\u0301\u0322\u0489'.repeat(60)}`,
    'a family joined to one picture': '👩‍👩‍👧‍👦🏳️‍🌈',
    'other planes': '𝒳𐍈😀\u{e0001}\u{10ffff}',
    noncharacters: '\ufffe\uffff\ufdd0',
    'composed and decomposed': 'é e\u0301 Å \u212b \u212a',
    'letters that change their length in another case': 'İıßﬀŉ',
    'Arabic and Hebrew': 'نور חדד',
    'line and paragraph separators': 'a\u2028b\u2029c',
    'characters that are slow to render': '﷽'.repeat(50),

    // Injections
    'SQL that ends a text': "Robert'); DROP TABLE users;--",
    'SQL that is always true': "' OR '1'='1",
    'SQL with its own quotes': '" UNION SELECT password_hash FROM users --',
    'SQL wildcards': '%_*?',
    'SQL parameters': '? $1 :id @x',
    'format strings': '%s%n%x%d {0} %1$s',
    templates: '$' + '{7*7} {{7*7}} <%= 7*7 %> #{7*7}',
    'a script element': '<script>alert(1)</script>',
    'an attribute that breaks out': '"><img src=x onerror=alert(1)>',
    'an attribute without brackets': "' autofocus onfocus=alert(1) x='",
    'an end of a comment': '--><svg/onload=alert(1)>',
    entities: '&lt;b&gt; &#60; &amp;amp; &quot',
    'a style that breaks out': '</style></title></textarea><script>',
    'a header after a line break': 'x\r\nSet-Cookie: session=1\r\n\r\n<html>',
    'a line feed': 'a\nb',
    'a line of a log': '1\n{"level":50,"msg":"forged"}',
    'a path to a parent folder': '../../../../etc/passwd',
    'a path to a parent folder on Windows': '..\\..\\windows\\win.ini',
    'an absolute path': '/etc/passwd',
    'a spreadsheet formula': "=cmd|' /C calc'!A0",
    'a command': '$(id) `id` ; id | id && id',
    'an LDAP filter': '*)(uid=*))(|(uid=*',
    'XML with an entity': '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    'a JNDI name': '$' + '{jndi:ldap://127.0.0.1/a}',
    'a text on which regular expressions explode': `${'a'.repeat(2000)}!`,
    'thousands of spaces': `${' '.repeat(3000)}x`,

    // Ids
    'a UUID without hyphens': '00000000000040008000000000000001',
    'a UUID with braces': '{00000000-0000-4000-8000-000000000001}',
    'a UUID as a URN': 'urn:uuid:00000000-0000-4000-8000-000000000001',
    'a UUID that is too short': '00000000-0000-4000-8000-00000000001',
    'a UUID with a letter that is not a hex digit': '00000000-0000-4000-8000-00000000000g',
    'a UUID and a line feed': '00000000-0000-4000-8000-000000000001\n',
    'the nil UUID': '00000000-0000-0000-0000-000000000000',
    'a UUID of unicode digits': '００００0000-0000-4000-8000-000000000001',

    // URLs
    'a URL of a script': 'javascript:alert(1)',
    'a URL of data': 'data:text/html,<script>alert(1)</script>',
    'a URL of a file': 'file:///etc/passwd',
    'a plain URL': 'http://example.test/hook',
    'a URL without a scheme': '//example.test/hook',
    'a URL with credentials': 'https://user:password@example.test/',
    'a URL with empty credentials': 'https://@example.test/',
    'a URL in capitals': 'HTTPS://EXAMPLE.TEST/Hook',
    'a URL with spaces inside': 'https://exam ple.test/',
    'a URL with a tab inside': 'https://exam\tple.test/',
    'a URL with backslashes': 'https:\\\\example.test\\hook',
    'a URL with too many slashes': 'https:////example.test/hook',
    'a URL with a zero-width space': 'https://exam\u200bple.test/',
    'a URL of an inner address': 'https://169.254.169.254/latest/meta-data',
    'a URL of an address as a number': 'https://2130706433/',
    'a URL of a mapped address': 'https://[::ffff:127.0.0.1]/',
    'a URL with port 0': 'https://example.test:0/',
    'a URL with a port that is too large': 'https://example.test:65536/',
    'a URL of an international name': 'https://exämple.test/ü?ß#ﬀ',
    'a URL with an escaped host': 'https://ex%61mple.test/',
    'a URL with a broken escape': 'https://example.test/%zz',
    'a URL without a host': 'https://',
    'a URL whose host is a dot': 'https://.',
    'a URL that is too long': `https://example.test/${'x'.repeat(2048)}`,

    // Addresses
    'an address without a name': '@example.test',
    'an address without a host': 'dana@',
    'an address with two ats': 'dana@kim@example.test',
    'an address with a host of one part': 'dana@localhost',
    'an address with two dots in a row': 'dana..kim@example.test',
    'an address that begins with a dot': '.dana@example.test',
    'an address that ends with a dot': 'dana@example.test.',
    'an address with quotes': '"dana kim"@example.test',
    'an address with a comment': 'dana(kim)@example.test',
    'an address with a name': 'Dana <dana@example.test>',
    'two addresses': 'dana@example.test,kim@example.test',
    'an address with a line break': 'dana@example.test\r\nBcc: kim@example.test',
    'an address with NUL': 'dana@example.test\u0000',
    'an address in capitals with spaces': '  DANA@Example.TEST ',
    'an address with a plus': 'dana+hostile@example.test',
    'an address with an apostrophe': "o'hara@example.test",
    'an address at a literal': 'dana@[127.0.0.1]',
    'an address with an underscore in its host': 'dana@ex_ample.test',
    'an address with a hyphen at the edge of its host': 'dana@-example.test',
    'an address that is too long': `${'d'.repeat(250)}@example.test`,
    'an address with a long name': `${'d'.repeat(70)}@example.test`,
    'an address with a long part in its host': `dana@${'d'.repeat(64)}.test`,
    'an international address': 'ülf@exämple.test',
    'an address with an invisible character': 'da\u200bna@example.test',
    'an address with a right-to-left override': 'dana\u202e@example.test',
    'a percent sign in an address': 'dana%40kim@example.test',

    // Times
    'a day that does not exist': '02/30/2026 01:00 PM',
    'an hour that does not exist': '11/20/2026 13:00 PM',
    'the year 0': '01/01/0000 12:00 AM',
    'the year 9999': '12/31/9999 11:59 PM',
    'another format': '2026-11-20T18:00:00Z',
    'a zone that is an offset': '+02:00',
    'a zone with a path': 'Europe/../Berlin',
    'a zone in another case': 'eUROPE/bERLIN',

    // Sizes
    '300 characters of two units': '😀'.repeat(300),
    '301 characters': 'x'.repeat(301),
    '8,000 characters': 'x'.repeat(8000),
    '1 MB': 'x'.repeat(1_000_000),
  }),

  // Escapes of URLs and forms
  ...escapes({
    '%00': '%00',
    'a broken escape': '%zz',
    'half an escape': '%4',
    'a percent sign': '%',
    'an overlong slash': '%c0%af',
    'an overlong dot': '%c0%ae%c0%ae',
    'an overlong NUL': '%c0%80',
    'an overlong slash of four bytes': '%f0%80%80%af',
    'half of a surrogate pair as UTF-8': '%ed%a0%80',
    'a code point beyond Unicode': '%f4%90%80%80',
    'a lone continuation': '%80',
    'a truncated sequence': '%e2%82',
    'double encoding': '%2541%2500%252e%252e%252f',
    'an encoded slash': '1%2f..%2f2',
    'an encoded line break': '%0d%0aSet-Cookie:%20x=1',
    'an escape of IIS': '%u0031',
    'a plus': '+1+',
    'UTF-16': '%ff%fe1%00',
    Latin: 'D%e4na',
    'a semicolon': '1;jsessionid=2',
  }),
];

/** Of each kind the value that finds most: a place that reads values in its own way gets them all. */
const everywhere: readonly string[] = [
  ...['null', 'an empty array', 'an empty object', '2^64', 'own __proto__', 'the empty text', 'NUL'],
  ...['half of a surrogate pair', 'a script element', 'a header after a line break', '8,000 characters'],
  ...['a broken escape, as an escape', 'half of a surrogate pair as UTF-8, as an escape'],
];
/** Of the other values, each place gets one of so many, and the next place those that follow. */
const SHARES = 8;
let share = 0;

/** Whether every place gets every value, over each kind of database, as in `npm run test:soak -- hostile-values`. */
export const isExhaustive = process.env.HOSTILE_VALUES === 'all';

/** The values for the next place, such as a field or a header. */
export function valuesForNextPlace(): readonly HostileValue[] {
  if (isExhaustive) return hostileValues;
  share = (share + 1) % SHARES;
  const others = hostileValues.filter(({ name }) => !everywhere.includes(name));
  return [
    ...hostileValues.filter(({ name }) => everywhere.includes(name)),
    ...others.filter((_value, index) => index % SHARES === share),
  ];
}

type Values = Readonly<Record<string, string>>;

function named(
  values: Values,
  formsOf: (value: string) => Omit<HostileValue, 'name'>,
): readonly HostileValue[] {
  return Object.entries(values).map(([name, value]) => ({ name, ...formsOf(value) }));
}

function literals(values: Values): readonly HostileValue[] {
  return named(values, (json) => ({ json, text: json, encoded: encodeURIComponent(json) }));
}

function texts(values: Values): readonly HostileValue[] {
  return named(values, (text) => ({ json: JSON.stringify(text), text, encoded: percentEncoded(text) }));
}

function escapes(values: Values): readonly HostileValue[] {
  return named(values, (encoded) => ({ json: JSON.stringify(encoded), text: encoded, encoded })).map(
    (value) => ({ ...value, name: `${value.name}, as an escape` }),
  );
}

/** A larger head of a request is refused before it is read. */
export const MAX_HEAD_LENGTH = 12_000;

/** The value as a header, or null if none can have it: with line breaks or controls, or too long for the head. */
export function headerBytes({ text }: HostileValue): string | null {
  const bytes = Buffer.from(text).toString('latin1');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: characters that a header must not contain
  return bytes.length > MAX_HEAD_LENGTH || /[\0-\x08\n-\x1f\x7f]/.test(bytes) ? null : bytes;
}

/** Halves of surrogate pairs as the three bytes that UTF-8 forbids. */
function percentEncoded(text: string): string {
  return [...text]
    .map((character) => {
      const code = character.codePointAt(0) ?? 0;
      if (code < 0xd800 || code > 0xdfff) return encodeURIComponent(character);
      const bytes = [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)];
      return bytes.map((byte) => `%${byte.toString(16)}`).join('');
    })
    .join('');
}

function range(from: number, to: number): string {
  return String.fromCharCode(...Array.from({ length: to - from + 1 }, (_, index) => from + index));
}

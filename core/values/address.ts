/** All failures from clients without a valid IP address are counted together under this name. */
const unknownAddress = 'unknown';

/**
 * Reads the IP address that a socket or a proxy reports for a client. The result has no port and no zone; an IPv4
 * address mapped to IPv6 is written as IPv4, and an IPv6 address in its shortest form. Null: not an IP address.
 */
export function readAddress(text: string): string | null {
  const parsed = parse(text);
  if (parsed === null) return null;
  return typeof parsed === 'string' ? parsed : formatIpv6(parsed);
}

/**
 * The name under which failures from an address are counted: the IPv4 address, or the /64 of an IPv6 address, because
 * an IPv6 subscriber has at least a /64. `unknownAddress` for a text that is not an IP address.
 */
export function networkOf(text: string): string {
  const parsed = parse(text);
  if (parsed === null) return unknownAddress;
  return typeof parsed === 'string' ? parsed : `${formatIpv6([...parsed.slice(0, 4), 0, 0, 0, 0])}/64`;
}

/** The longest address with brackets, a zone and a port, with room to spare. */
const MAX_CHARACTERS = 100;

type Groups = readonly number[];

/** An IPv4 address as text, an IPv6 one as its eight groups. */
function parse(text: string): string | Groups | null {
  if (text.length > MAX_CHARACTERS) return null;
  const host = withoutPort(text.trim());
  if (ipv4.test(host)) return host;
  const groups = ipv6Groups(host.replace(/%.*/s, ''));
  return groups === null ? null : (mappedIpv4(groups) ?? groups);
}

/** Proxies write `192.0.2.1:5678` and `[2001:db8::1]:443`. */
function withoutPort(text: string): string {
  return /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d{1,5}$/, '$1');
}

const byte = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
/** Four decimal numbers without leading zeros. */
const ipv4 = new RegExp(`^${byte}(?:\\.${byte}){3}$`);

/** An IPv4 address as two groups of an IPv6 address. */
function ipv4Groups(text: string): Groups | null {
  if (!ipv4.test(text)) return null;
  const [a, b, c, d] = text.split('.').map(Number) as [number, number, number, number];
  return [a * 256 + b, c * 256 + d];
}

function ipv6Groups(text: string): Groups | null {
  const [start = '', end, ...more] = text.split('::');
  const before = groupsIn(start);
  const after = end === undefined ? [] : groupsIn(end);
  if (before === null || after === null || more.length > 0) return null;
  const missing = 8 - before.length - after.length;
  if (end === undefined) return missing === 0 ? before : null;
  return missing > 0 ? [...before, ...Array.from({ length: missing }, () => 0), ...after] : null;
}

function groupsIn(text: string): Groups | null {
  if (text === '') return [];
  const parts = text.split(':');
  const last = ipv4Groups(parts.at(-1) ?? '');
  const hex = last === null ? parts : parts.slice(0, -1);
  if (!hex.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return null;
  return [...hex.map((part) => Number.parseInt(part, 16)), ...(last ?? [])];
}

function mappedIpv4(groups: Groups): string | null {
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  const bytes = groups.slice(6).flatMap((group) => [Math.floor(group / 256), group % 256]);
  return isMapped ? bytes.join('.') : null;
}

/** In the form of RFC 5952. */
function formatIpv6(groups: Groups): string {
  const hex = groups.map((group) => group.toString(16));
  const zeros = longestZeros(groups);
  if (zeros.length < 2) return hex.join(':');
  return `${hex.slice(0, zeros.start).join(':')}::${hex.slice(zeros.start + zeros.length).join(':')}`;
}

/** The longest run of zero groups, and the first of several equally long ones. */
function longestZeros(groups: Groups): { readonly start: number; readonly length: number } {
  let longest = { start: 0, length: 0 };
  let start = 0;
  for (const [index, group] of groups.entries()) {
    if (group !== 0) start = index + 1;
    else if (index + 1 - start > longest.length) longest = { start, length: index + 1 - start };
  }
  return longest;
}

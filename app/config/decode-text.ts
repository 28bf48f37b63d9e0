/**
 * A text as programs on Windows write it: UTF-8, or UTF-16 with a byte order mark, which Windows PowerShell writes. The mark
 * is no part of the text.
 */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return new TextDecoder(isUtf16 ? (first === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8').decode(bytes);
}

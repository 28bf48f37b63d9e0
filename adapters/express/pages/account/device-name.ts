type Names = readonly (readonly [name: string, pattern: RegExp])[];

/** Several browsers also name the one that they are built on, so the order matters. */
const browsers: Names = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\b(?:OPR|Opera|OPiOS)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|Chromium|CriOS)\//],
  ['Safari', /\bVersion\/[\d.]+ (?:Mobile\/\w+ )?Safari\//],
];

const systems: Names = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
];

/**
 * A coarse name such as `Firefox on Android`, from lists of our own: no version, and nothing of the header itself. Undefined
 * for a browser that is not on them.
 */
export function deviceName(userAgent: string): string | undefined {
  const [browser, system] = [browsers, systems].map(
    (names) => names.find(([, pattern]) => pattern.test(userAgent))?.[0],
  );
  if (browser === undefined) return undefined;
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** The operator's brand, which pages show. */
export interface Brand {
  /** The accent color, `#rrggbb`. */
  readonly color: string;
  readonly logo: BrandLogo | null;
}

export interface BrandLogo {
  readonly type: 'image/svg+xml' | 'image/png' | 'image/jpeg' | 'image/webp';
  readonly body: Uint8Array;
}

export const defaultBrand: Brand = { color: '#524ed2', logo: null };

export type BrandColors = Readonly<ReturnType<typeof brandColors>>;

type Rgb = readonly [number, number, number];

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

/** WCAG's minimum for text. */
const MIN_CONTRAST = 4.5;

/** The background that links have the least contrast with, which is the same as in tokens.css. */
const backgrounds = {
  light: { worst: parse('#f5f6f9'), towards: BLACK },
  dark: { worst: parse('#1b202b'), towards: WHITE },
} as const;

export function brandColors(color: string, scheme: keyof typeof backgrounds) {
  const accent = parse(color);
  const onAccent = contrast(accent, WHITE) >= MIN_CONTRAST ? WHITE : BLACK;
  const { worst, towards } = backgrounds[scheme];
  return {
    /** The brand's own color, as a background. */
    accent: text(accent),
    accentHover: text(mix(accent, onAccent === WHITE ? BLACK : WHITE, 0.15)),
    /** Black or white, whichever can be read on the accent. */
    onAccent: text(onAccent),
    /** The accent for links, borders and the focus ring: made darker in light mode and lighter in dark mode. */
    link: text(readable(accent, worst, towards)),
  };
}

export function brandStyles({ color }: Pick<Brand, 'color'>): string {
  const light = declarations(brandColors(color, 'light'));
  const dark = declarations(brandColors(color, 'dark'));
  return `:root {\n${light}}\n@media screen and (prefers-color-scheme: dark) {\n:root {\n${dark}}\n}\n`;
}

function declarations({ accent, accentHover, onAccent, link }: BrandColors): string {
  const values = { accent, 'accent-hover': accentHover, 'on-accent': onAccent, link, focus: link };
  return Object.entries(values)
    .map(([name, value]) => `--${name}: ${value};\n`)
    .join('');
}

const STEPS = 50;

/** The first color on the way from this one that can be read on the background. */
function readable(color: Rgb, background: Rgb, towards: Rgb): Rgb {
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = mix(color, towards, step / STEPS);
    if (contrast(mixed, background) >= MIN_CONTRAST) return mixed;
  }
  return towards;
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const at = (index: 0 | 1 | 2): number => Math.round(from[index] + (to[index] - from[index]) * share);
  return [at(0), at(1), at(2)];
}

/** The contrast ratio of WCAG, from 1 to 21. */
function contrast(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance([red, green, blue]: Rgb): number {
  const linear = (value: number): number =>
    value <= 0.04045 * 255 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function parse(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function text(rgb: Rgb): string {
  return `#${rgb.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

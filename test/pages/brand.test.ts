import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readStylesheet } from '#adapters/express/pages/design/stylesheet.js';
import { startDesignSite } from '#test/support/page/design-site.js';
import { randomNumbers } from '#test/support/random-numbers.js';

/** The values of the tokens in light and in dark mode. */
function tokensOf(color: string): readonly Readonly<Record<string, string>>[] {
  const styles = readStylesheet({ color });
  const dark = /@media screen and \(prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}/g;
  const light = tokensIn([...styles.replaceAll(dark, '').matchAll(/:root \{([^}]*)\}/g)]);
  return [light, { ...light, ...tokensIn([...styles.matchAll(dark)]) }];
}

function tokensIn(rules: readonly RegExpMatchArray[]): Readonly<Record<string, string>> {
  const declarations = rules.flatMap(([, text = '']) => [...text.matchAll(/--([\w-]+): (#[0-9a-f]+);/g)]);
  return Object.fromEntries(declarations.map(([, name = '', value = '']) => [name, value]));
}

/** WCAG's contrast ratio. */
function contrast(one = '', other = ''): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance(color: string): number {
  const hex = color.length === 4 ? color.replaceAll(/(?<=#.*)./g, '$&$&') : color;
  assert.match(hex, /^#[0-9a-f]{6}$/);
  const parts = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = parts.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Texts and what they stand on, by their tokens. */
const pairs = [
  ['on-accent', 'accent'],
  ['on-accent', 'accent-hover'],
  ['link', 'surface'],
  ['link', 'page-background'],
  ['focus', 'surface'],
  ['focus', 'page-background'],
  ['muted', 'page-background'],
  ['text', 'neutral-background'],
  ['error', 'surface'],
  ['error', 'error-background'],
  ['on-destructive', 'destructive'],
  ['on-destructive', 'destructive-hover'],
] as const;

describe('The colors of the brand', () => {
  test('give a contrast of at least 4.5:1 in both modes, for 1,000 random colors and the extremes', () => {
    const random = randomNumbers(7);
    const anyColor = (): string => `#${random(0x1000000).toString(16).padStart(6, '0')}`;
    const extremes = ['#000000', '#ffffff', '#ffff00', '#0000ff', '#777777', '#524ed2'];
    const weak: string[] = [];
    for (const color of [...extremes, ...Array.from({ length: 1000 }, anyColor)]) {
      const [light, dark] = tokensOf(color);
      assert.deepEqual([light?.accent, dark?.accent], [color, color]);
      for (const tokens of [light, dark])
        for (const [text, background] of pairs)
          if (contrast(tokens?.[text], tokens?.[background]) < 4.5)
            weak.push(`${color}: ${text} ${tokens?.[text]} on ${background} ${tokens?.[background]}`);
    }
    assert.deepEqual(weak, []);
  });
});

describe('The bars of charts', () => {
  test('have a contrast of at least 3:1 with the card, and with the bars behind them', () => {
    const styles = readStylesheet({ color: '#524ed2' });
    const rule = (selector: string): string =>
      new RegExp(`\\n${selector.replaceAll('.', '\\.')}(?:,[^{}]*)? \\{([^}]*)\\}`).exec(styles)?.[1] ??
      assert.fail(selector);
    const colorIn = (selector: string, property: string): string =>
      new RegExp(`${property}: (?:1px solid )?var\\(--([\\w-]+)\\)`).exec(rule(selector))?.[1] ?? '';
    for (const tokens of tokensOf('#524ed2')) {
      for (const [bar, behind] of [
        [colorIn('.chart .full', 'fill'), 'surface'],
        [colorIn('.chart .full', 'fill'), colorIn('.chart .pale', 'fill')],
        [colorIn('.chart .past', '--bar'), 'surface'],
        [colorIn('.chart .past', '--bar'), colorIn('.chart .pale', 'fill')],
        [colorIn('.chart .current', '--bar'), 'surface'],
        [colorIn('.chart .pale', 'stroke'), 'surface'],
        [colorIn('.key.pale::before', 'border'), 'surface'],
      ] as const) {
        const ratio = contrast(tokens[bar], tokens[behind]);
        assert.ok(ratio >= 3, `${bar} on ${behind}: ${ratio}`);
      }
    }
  });
});

describe('The logo of the brand', () => {
  test('is at the top of the page and its icon, with the type of the file and a policy without scripts', async (t) => {
    const body = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    const site = await startDesignSite({ color: '#0b7a75', logo: { type: 'image/svg+xml', body } });
    t.after(() => site.stop());
    const page = await (await fetch(`${site.url}/design`)).text();
    const [, shown = ''] = /<a class="brand" href="\/"><img src="([^"]*)"/.exec(page) ?? [];
    assert.match(shown, /^\/assets\/logo\?v=[\w-]{12}$/);
    assert.ok(page.includes(`<link rel="icon" href="${shown}" type="image/svg+xml"/>`));
    const logo = await fetch(`${site.url}${shown}`);
    assert.equal(logo.headers.get('content-type'), 'image/svg+xml; charset=utf-8');
    assert.match(logo.headers.get('content-security-policy') ?? '', /default-src 'none'.*script-src 'self'/);
    assert.deepEqual(Buffer.from(await logo.arrayBuffer()), body);
  });

  test('is a tick on the color without a file, as in a ticked box', async (t) => {
    const site = await startDesignSite({ color: '#ffee00', logo: null });
    t.after(() => site.stop());
    const page = await (await fetch(`${site.url}/design`)).text();
    const [, shown = ''] = /<link rel="icon" href="([^"]*)"/.exec(page) ?? [];
    const tick = await (await fetch(`${site.url}${shown}`)).text();
    assert.match(tick, /fill="#ffee00".*stroke="#000000"/s);
    assert.match(await (await fetch(`${site.url}/assets/check.svg`)).text(), /stroke="#000000"/);
  });
});

import type { Page } from 'playwright-core';

/** WCAG 2.5.8. */
const MIN_TARGET = 24;

/** What axe does not look for in the open page: its width, targets, motion, edges, covers, names and spacing. */
export async function problemsOfView(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`(() => {
    const found = [];
    const report = (mistake, element) => found.push(mistake + ': ' + element.outerHTML.slice(0, 120));
    const styleOf = (element) => getComputedStyle(element);
    const isSeen = (element) =>
      element.checkVisibility({ visibilityProperty: true }) &&
      element.closest('[aria-hidden], .visually-hidden, .skip-link:not(:focus)') === null;

    const overflow = document.documentElement.scrollWidth - innerWidth;
    if (overflow > 0) found.push(overflow + ' pixels wider than the window');

    const controls = [...document.querySelectorAll('a, button, input, select, textarea, summary')].filter(isSeen);
    for (const control of controls) {
      const { width, height } = control.getBoundingClientRect();
      const isInSentence =
        styleOf(control).display === 'inline' && control.parentElement.textContent.trim() !== control.textContent.trim();
      if ((width < ${MIN_TARGET} || height < ${MIN_TARGET}) && !isInSentence)
        report('a target of ' + Math.round(width) + ' by ' + Math.round(height), control);
    }

    if (document.getAnimations().length > 0) found.push('something moves');
    for (const element of document.querySelectorAll('body *')) {
      const { transitionDuration, scrollBehavior } = styleOf(element);
      if (transitionDuration.split(', ').some((time) => parseFloat(time) > 0) || scrollBehavior === 'smooth')
        report('moves', element);
    }

    // Backgrounds are gone in forced colors, so everything but text needs a border.
    const background = styleOf(document.body).backgroundColor;
    for (const control of controls.filter((one) => one.matches('.button, input, select, textarea'))) {
      const { appearance, borderTopColor, borderTopStyle, borderTopWidth } = styleOf(control);
      const hasBorder = borderTopStyle !== 'none' && parseFloat(borderTopWidth) > 0 && borderTopColor !== background;
      if (!hasBorder && appearance !== 'auto') report('no border', control);
    }

    for (const element of document.querySelectorAll('body *')) {
      if (['fixed', 'sticky'].includes(styleOf(element).position)) report('can cover the focus', element);
    }

    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const isIsolated = text.parentElement.closest('bdi, [dir=auto], pre, code, option, time, .avatar') !== null;
      if (/[\u0590-\u08ff]/.test(text.data) && !isIsolated) report('a name that is not isolated', text.parentElement);
    }

    // WCAG 1.4.12: readers may widen the lines, letters and words of every text.
    const spaced = new CSSStyleSheet();
    spaced.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }' +
      'p { margin-bottom: 2em !important; }');
    document.adoptedStyleSheets = [spaced];
    const spacedOverflow = document.documentElement.scrollWidth - innerWidth;
    if (spacedOverflow > 0) found.push(spacedOverflow + ' pixels wider than the window with wide spacing');
    for (const button of controls.filter((one) => one.matches('.button')))
      if (button.scrollWidth > button.clientWidth || button.scrollHeight > button.clientHeight) report('cut off with wide spacing', button);
    document.adoptedStyleSheets = [];
    return found;
  })()`);
}

/**
 * What is lost in the open page in forced colors, which replace all colors of ours: text without contrast, badges, boxes
 * and current entries that only a color told apart, and icons in another color than their words.
 */
export async function problemsInForcedColors(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`(() => {
    const found = [];
    const report = (mistake, element) => found.push(mistake + ': ' + element.outerHTML.slice(0, 120));
    const styleOf = (element) => getComputedStyle(element);
    const isSeen = (element) =>
      element.checkVisibility({ visibilityProperty: true }) && element.closest('.visually-hidden, .skip-link:not(:focus)') === null;
    const all = (selector) => [...document.querySelectorAll(selector)].filter(isSeen);
    if (!matchMedia('(forced-colors: active)').matches) found.push('the colors are not forced');
    // In the middle of a change from light to dark, every button is gray.
    document.getAnimations().forEach((animation) => animation.finish());

    const channels = (color) => color.match(/[\\d.]+/g).map(Number);
    const luminance = (color) => {
      const [red, green, blue] = channels(color).map((value) => value <= 10.31 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const contrast = (...colors) => {
      const [dark, light] = colors.map(luminance).sort((one, other) => one - other);
      return (light + 0.05) / (dark + 0.05);
    };
    const isOpaque = (color) => channels(color)[3] !== 0;
    const backgroundOf = (element) => {
      for (let box = element; box !== null; box = box.parentElement)
        if (isOpaque(styleOf(box).backgroundColor)) return styleOf(box).backgroundColor;
      return 'rgb(255, 255, 255)';
    };
    const hasEdge = (element) => {
      const { borderTopColor, borderTopStyle, borderTopWidth } = styleOf(element);
      return borderTopStyle !== 'none' && parseFloat(borderTopWidth) > 0 && contrast(borderTopColor, backgroundOf(element.parentElement)) >= 3;
    };

    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const element = text.parentElement;
      if (text.data.trim() === '' || !isSeen(element)) continue;
      const { color, fill } = styleOf(element);
      const shown = element instanceof SVGElement ? fill : color;
      if (contrast(shown, backgroundOf(element)) < 4.5) report('text in ' + shown, element);
    }
    for (const picture of all('img')) if (picture.alt !== '') report('an image with words', picture);
    for (const part of all('.badge, .banner, .avatar')) if (!hasEdge(part)) report('nothing but a background', part);
    for (const code of all(':not(pre) > code')) if (!hasEdge(code)) report('nothing but a background', code);
    const strong = '.button.primary, .confirm .button.destructive';
    const others = all('.button').filter((button) => !button.matches(strong));
    for (const button of all(strong))
      if (others.some((other) => styleOf(other).backgroundColor === styleOf(button).backgroundColor))
        report('looks like any other button', button);
    for (const bar of all('.chart svg .pale:not([height="0"])')) {
      const { fill, stroke } = styleOf(bar);
      const isFilled = [...bar.ownerSVGElement.querySelectorAll('.full')].some((other) => contrast(styleOf(other).fill, fill) < 3);
      if (isFilled || contrast(stroke, fill) < 3) report('looks like the bar in front of it', bar);
    }
    for (const box of all('input[type=checkbox]')) if (styleOf(box).appearance !== 'auto') report('a tick of ours', box);

    const look = (element) => {
      const { borderTopWidth, borderBottomWidth, borderBottomColor, borderTopColor, borderStyle } = styleOf(element);
      return [borderTopWidth, borderTopColor, borderBottomWidth, borderBottomColor, borderStyle].join();
    };
    for (const current of all('[aria-current]')) {
      const siblings = [...current.closest('nav').querySelectorAll('a:not([aria-current])')];
      if (siblings.some((other) => look(other) === look(current))) report('not told from the others', current);
    }
    for (const field of all('input[readonly], input:disabled, button:disabled, [aria-invalid]')) {
      const usual = all(field.tagName + ':not([readonly], :disabled, [aria-invalid], [type=checkbox])');
      if (usual.some((other) => look(other) === look(field) && styleOf(other).color === styleOf(field).color))
        report('looks like any other', field);
    }
    for (const icon of all('.icon'))
      if (styleOf(icon).stroke !== styleOf(icon.parentElement).color) report('an icon in another color than its words', icon);
    return found;
  })()`);
}

/** The controls of the open page that show no ring when they get the focus with the Tab key. */
export async function controlsWithoutRing(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  await page.evaluate('document.activeElement.blur(); globalThis.seenControls = new Set()');
  for (let presses = 0; presses < 150; presses += 1) {
    await page.keyboard.press('Tab');
    const mistake = await page.evaluate<string | null>(`(() => {
      const control = document.activeElement;
      if (control === document.body || seenControls.has(control)) return null;
      seenControls.add(control);
      const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(control);
      const canvas = getComputedStyle(document.body).backgroundColor;
      const isShown = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && outlineColor !== canvas;
      return isShown ? '' : control.outerHTML.slice(0, 120);
    })()`);
    if (mistake === null) break;
    if (mistake !== '') found.push(mistake);
  }
  return found;
}

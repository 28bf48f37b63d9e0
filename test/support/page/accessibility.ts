import type { Page } from 'playwright-core';

/** WCAG 2.5.8. */
const MIN_TARGET = 24;

/** What axe does not look for in the open page: its width, targets, motion, edges, covers, names and spacing. */
export async function mistakesOfView(page: Page): Promise<readonly string[]> {
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

    // Backgrounds are gone in forced colors, so whatever is not text needs a border.
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

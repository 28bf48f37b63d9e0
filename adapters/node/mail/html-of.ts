import { mailParagraphs } from '@rollcall/core/adapters';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** The same paragraphs as HTML. One that is a URL becomes a link, which shows the whole URL. */
export function htmlOf(text: string): string {
  const paragraphs = mailParagraphs(text).map((paragraph) => {
    const escaped = paragraph.text.replace(/[&<>"]/g, (character) => entities[character] ?? '');
    const shown = paragraph.isUrl ? `<a href="${escaped}">${escaped}</a>` : escaped.replaceAll('\n', '<br>');
    return `<p>${shown}</p>`;
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"></head>
<body style="max-width: 36em; font-family: system-ui, sans-serif; line-height: 1.5; overflow-wrap: anywhere">
${paragraphs.join('\n')}
</body></html>
`;
}

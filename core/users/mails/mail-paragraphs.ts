/** The paragraphs of the text of a mail. One that is only a URL is shown as a link. */
export function mailParagraphs(text: string): readonly { readonly text: string; readonly isUrl: boolean }[] {
  return text
    .trim()
    .split('\n\n')
    .map((paragraph) => ({ text: paragraph, isUrl: /^https?:\/\/\S+$/.test(paragraph) }));
}

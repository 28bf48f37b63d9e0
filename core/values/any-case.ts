/** Case variants that `toLowerCase` and `toUpperCase` do not return. */
const otherForms: Readonly<Record<string, string>> = { σ: 'ς', ß: 'ẞ' };

/**
 * Returns a pattern that finds the text in any case. Each character becomes a class of its case variants: `Ö1` becomes
 * `[Öö][1]`. PostgreSQL reads the pattern's source as JavaScript does, so a search finds the same in every storage.
 */
export function anyCasePattern(text: string): RegExp {
  const characters = [...text].map((character) => `[${formsOf(character).replace(/[\\\]^-]/g, '\\$&')}]`);
  return new RegExp(characters.join(''), 'u');
}

function formsOf(character: string): string {
  const forms = new Set([character]);
  // The loop also visits the forms that it adds.
  for (const form of forms) {
    const others = [form.toLowerCase(), form.toUpperCase(), otherForms[form] ?? form];
    for (const other of others) if ([...other].length === 1) forms.add(other);
  }
  return [...forms].join('');
}

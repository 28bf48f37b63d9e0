/** Small letters that are not what their capital is in small. */
const further: Readonly<Record<string, string>> = { σ: 'ς', ß: 'ẞ' };

/**
 * Finds the text in another, whatever its case: each character is one of those that differ from it by case alone,
 * `Ö1` is `[Öö][1]`. The source means the same to PostgreSQL as to the runtime, so that a search finds the same
 * in every storage.
 */
export function anyCasePattern(text: string): RegExp {
  const characters = [...text].map((character) => `[${formsOf(character).replace(/[\\\]^-]/g, '\\$&')}]`);
  return new RegExp(characters.join(''), 'u');
}

function formsOf(character: string): string {
  const forms = new Set([character]);
  // A set goes on to what is added meanwhile.
  for (const form of forms) {
    const others = [form.toLowerCase(), form.toUpperCase(), further[form] ?? form];
    for (const other of others) if ([...other].length === 1) forms.add(other);
  }
  return [...forms].join('');
}

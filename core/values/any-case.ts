/** Small letters that are not what their capital is in small. */
const further: Readonly<Record<string, string>> = { σ: 'ς', ß: 'ẞ' };

/**
 * The characters of a text, each with those that differ from it by case alone, in one text: `Ö1` gives `Öö` and
 * `1`. What a search compares with, so that it finds the same in every storage.
 */
export function anyCase(text: string): readonly string[] {
  return [...text].map((character) => {
    const forms = new Set([character]);
    // A set goes on to what is added meanwhile.
    for (const form of forms) {
      const others = [form.toLowerCase(), form.toUpperCase(), further[form] ?? form];
      for (const other of others) if ([...other].length === 1) forms.add(other);
    }
    return [...forms].join('');
  });
}

/** Finds the text in another, whatever its case; no character has a further meaning. */
export function anyCasePattern(text: string): RegExp {
  const characters = anyCase(text).map((forms) => `[${forms.replace(/[\\\]^-]/g, '\\$&')}]`);
  return new RegExp(characters.join(''), 'u');
}

/**
 * Texts that have broken encoders, parsers and layouts. All of them are well-formed and have no NUL, and a storage must
 * return them unchanged.
 */
export const hostileTexts: readonly string[] = [
  `quotes " ' \` and backslash \\ and \\" both`,
  'a\\nb \\u0000 \\v \\x41 are no escapes here',
  'tab\tnewline\nreturn\rvertical\u000bform\u000cbell\u0007escape\u001b',
  '\u0001\u001f\u007f\u0080\u009f',
  '\u2028\u2029\ufeff\u200b\u00ad',
  '<script>alert(1)</script> & </textarea>',
  "Robert'); DROP TABLE meetings;--",
  '\u0024{1+1} {{7*7}} #{7*7} %s %n ?1 $1 :id',
  'ñ Å ﬀ é é 漢字 かな עברית العربية हिन्दी',
  '👩‍👩‍👧‍👦 🇺🇦 😀 𝒳 𐍈',
  '\u202eright to left override\u202c',
  '\uffff\ufffe\ufffd',
  '=1+1 +1 -1 @SUM(A1)',
  ' leading and trailing ',
  '',
  '\\.',
  '\\N',
  'null',
  '[1,2],{"a":1}',
  'x'.repeat(20_000),
];

/**
 * Words that nobody says to a colleague, by what to say instead. Each was once on a page, in the API's description or in
 * the help of a command.
 */
export const avoidedWords: readonly { readonly word: RegExp; readonly better: string }[] = [
  { word: /\bwhoever\b/i, better: 'who, or anyone who' },
  { word: /\bsomebody['’]s\b/i, better: 'someone’s' },
  { word: /\bnobody \S+ but\b/i, better: 'only' },
  { word: /\bso many\b/i, better: 'the number' },
  { word: /\bof which\b/i, better: 'another sentence' },
  { word: /\btill\b/i, better: 'until' },
  { word: /\bmend\b/i, better: 'fix' },
  { word: /\blook (whether|who|if)\b/i, better: 'check that' },
  { word: /\b(is|are) no fields?\b/i, better: 'is not a field' },
  { word: /\bis no address\b/i, better: 'is not an address' },
  { word: /\bat hand\b/i, better: 'ready' },
  { word: /\bby heart\b/i, better: 'know' },
  { word: /\bone['’]s own\b/i, better: 'your' },
  { word: /\bthat there (is|are)\b/i, better: 'a shorter clause' },
  { word: /\bwhat (waits|failed|follows) (is|was|since)\b/i, better: 'the name of the thing' },
  { word: /\bcan not\b/i, better: 'cannot' },
  { word: /\be-mails?\b/i, better: 'email' },
  { word: /\breaches the interface\b/i, better: 'calls the API' },
  { word: /\bchoose one whose\b/i, better: 'choose your city or one in the same time zone' },
  { word: /\bthe zone of this service\b/i, better: 'Default (UTC)' },
  { word: /\bwe tell a program\b/i, better: 'get notified when' },
  { word: /\bhow far it came\b/i, better: 'stage reached' },
  { word: /\bfor reading\b/i, better: 'formatted' },
  { word: /\bwith all between\b/i, better: 'including intermediate certificates' },
  { word: /\bis sent again now\b/i, better: 'Resending…' },
  { word: /\bon to whom\b/i, better: 'send them this link yourself' },
  { word: /\bstop no other\b/i, better: 'invalid lines are skipped' },
  { word: /\bemail address must be an\b/i, better: 'Enter a valid email address' },
  { word: /\bat once they are\b/i, better: 'they’re … at once' },
  { word: /\btick the usual\b/i, better: 'Reset to defaults' },
  { word: /\bonly what begins between\b/i, better: 'limit to this period' },
  { word: /\banswers to programs\b/i, better: 'every API endpoint' },
  { word: /\bas anything but\b/i, better: 'you will lose access to this page' },
  { word: /\bthere is no such delivery\b/i, better: 'No deliveries yet' },
  { word: /\b1 (records|people|events|invitations|meetings|deliveries|hours|days)\b/, better: '1 record' },
  { word: /\bmust be integer\b/i, better: 'must be an integer' },
  { word: /\bstill has meeting\b/i, better: 'meeting 5 still refers to it' },
  { word: /\bwhole number such as\b/i, better: 'must be at least 1' },
  { word: /\bof little use\b/i, better: 'what cannot be done' },
  { word: /\bthe webhook keeps failing\b/i, better: 'a delivery failed' },
  { word: /\bsecret of then\b/i, better: 'secret current at that time' },
  { word: /\bwhere it is left out\b/i, better: 'the default' },
  { word: /\bpacked on its way\b/i, better: 'compressed' },
  { word: /\bis required when\b/i, better: 'Enter a URL' },
];

/** What to avoid in the text, each with the words around it. */
export function avoidedIn(text: string): readonly string[] {
  return avoidedWords.flatMap(({ word, better }) => {
    const found = word.exec(text);
    if (found === null) return [];
    const { index } = found;
    const around = text.slice(Math.max(0, index - 40), index + found[0].length + 40);
    return [`“${found[0]}” instead of “${better}” in “${around.replaceAll(/\s+/g, ' ')}”`];
  });
}

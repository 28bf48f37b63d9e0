import type { ComponentChildren } from 'preact';
import { withQuery } from '../paths.js';
import type { Visit } from '../visit.js';

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/**
 * The language of samples that the reader has chosen last, on any page of the docs. The link of a language chooses it,
 * also without the script.
 */
export function chosenLanguage({ request, response, cookies }: Visit): string | null {
  const { language } = request.query;
  if (typeof language !== 'string' || !/^[a-z]{1,20}$/.test(language))
    return cookies.read(request, 'language');
  cookies.set(response, { name: 'language', value: language, seconds: YEAR_SECONDS });
  return language;
}

interface LanguagePart {
  readonly id: string;
  readonly title: string;
  readonly part: ComponentChildren;
}

interface LanguagesProps {
  /** The anchor of this place. */
  readonly id: string;
  /** What there is in several languages, for screen readers. */
  readonly label: string;
  readonly parts: readonly LanguagePart[];
  /** If it is none of them, the first is shown. */
  readonly chosen: string | null;
  /** Of the page's address. */
  readonly query?: Readonly<Record<string, string>>;
}

/** The same in several languages. Only the chosen one is shown. The script changes it without loading the page. */
export function Languages({ id: place, label, parts, chosen, query }: LanguagesProps) {
  const shown = parts.find(({ id }) => id === chosen) ?? parts[0];
  return (
    <div class="languages" id={place}>
      <ul class="plain" aria-label={`${label}: language`}>
        {parts.map(({ id, title }) => (
          <li key={id}>
            <a
              href={`${withQuery('', { ...query, language: id })}#${place}`}
              data-language={id}
              aria-current={id === shown?.id ? 'true' : undefined}
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
      {parts.map(({ id, part }) => (
        <div key={id} data-language={id} hidden={id !== shown?.id}>
          {part}
        </div>
      ))}
    </div>
  );
}

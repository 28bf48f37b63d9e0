/** The webhook's pages: the banner, what a test came to, results in words. */
export const webhooksStyles = `
.banner {
  margin-top: 0;
}

.banner h2 {
  --pico-font-size: 1.0625rem;
  margin-bottom: 0.25rem;
  color: inherit;
}

.banner > :last-child {
  margin-bottom: 0;
}

.banner a {
  color: inherit;
}

.pair {
  display: grid;
  gap: 0 1rem;
}

@media (min-width: 768px) {
  .pair {
    grid-template-columns: repeat(2, minmax(0, 1fr));
  }
}

.pair form, .pair form button {
  width: auto;
  margin: 0;
}

.result {
  display: inline-block;
}

.result::first-letter {
  text-transform: uppercase;
}

.subject {
  display: block;
  color: var(--soft);
  font-size: 0.875rem;
  overflow-wrap: anywhere;
}

.test-result {
  margin-bottom: 1rem;
  padding: 0.75rem 1rem;
  border: 1px solid var(--line);
  border-radius: var(--pico-border-radius);
}

.test-result.good {
  border-inline-start: 0.375rem solid var(--good);
}

.test-result.wrong {
  border-inline-start: 0.375rem solid var(--wrong);
}

.test-result p {
  margin: 0;
}

.search summary::after {
  background-image: url("chevron.svg");
}

.search form {
  margin: 0;
}

fieldset.field legend {
  margin-bottom: 0.375rem;
  font-weight: 600;
}
`;

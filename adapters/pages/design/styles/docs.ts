/** The documentation, both pages. */
export const docsStyles = `
.docs-nav {
  display: flex;
  justify-content: flex-start;
  gap: 1.25rem;
  margin-bottom: 1.25rem;
}

.docs-nav a {
  padding: 0.25rem 0;
  border-bottom: 3px solid transparent;
  color: var(--soft);
  text-decoration: none;
}

.docs-nav .away {
  margin-inline-start: auto;
}

.docs-nav a:hover {
  color: var(--pico-primary);
}

.docs-nav a[aria-current] {
  border-color: var(--pico-primary);
  color: inherit;
  font-weight: 600;
}

.guide > section {
  margin-top: 2.5rem;
}

.guide h2 {
  --pico-font-size: 1.375rem;
  scroll-margin-top: 1rem;
}

.guide h3 {
  --pico-font-size: 1.0625rem;
}

.guide h2 a {
  color: inherit;
  text-decoration: none;
}

.guide h2 a:hover, .guide h2 a:focus-visible {
  text-decoration: underline;
}

.guide .copy-label {
  color: var(--soft);
  font-size: 0.875rem;
}

.guide .copy pre {
  grid-column: 1 / -1;
  grid-row: 2;
  border: 1px solid var(--line);
  background: var(--surface);
}

.guide .copy pre code {
  background: none;
}

.guide .copy-label {
  grid-column: 1;
}

.guide .copy button {
  grid-column: 2;
  grid-row: 1;
}

.contents ul {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem 1.25rem;
  margin: 0;
}

.contents li {
  margin: 0;
  padding: 0;
}

.guide table.data th, .guide table.data td:first-child {
  overflow-wrap: normal;
}

.guide table.data code {
  justify-self: start;
}

@media (min-width: 576px) {
  .guide table.data code {
    white-space: nowrap;
  }
}
`;

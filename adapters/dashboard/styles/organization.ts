/** What owners look after. */
export const organizationStyles = `
.lines {
  display: grid;
  gap: 0.125rem;
  justify-items: start;
}

.fine {
  color: var(--soft);
  font-size: 0.8125rem;
}

.plain > h2 {
  --pico-font-size: 1.1875rem;
  margin: 2rem 0 0.75rem;
}

.warning {
  padding: 0.75rem 1rem;
  border-radius: var(--pico-border-radius);
  background: var(--waiting-back);
  color: var(--waiting);
}

.masked {
  white-space: nowrap;
}

.way-up {
  margin-bottom: 0.5rem;
  font-size: 0.9375rem;
}

.choices .role {
  display: block;
  color: var(--soft);
  font-size: 0.875rem;
  font-weight: 400;
}
`;

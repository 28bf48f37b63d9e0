/** Who is invited. */
export const invitationsStyles = `
.invitee {
  display: grid;
  gap: 0.125rem;
  justify-items: start;
}

.invitee .fine {
  color: var(--soft);
  font-size: 0.8125rem;
}

.invitee .by {
  min-width: 6rem;
}

.list-title {
  --pico-font-size: 1.1875rem;
  margin: 2rem 0 0.75rem;
}

.way-back {
  margin-bottom: 0.5rem;
  font-size: 0.9375rem;
}
`;

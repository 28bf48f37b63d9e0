/** What owners look after. */
export const organizationStyles = `
.warning {
  padding: 0.75rem 1rem;
  border-radius: var(--pico-border-radius);
  background: var(--waiting-back);
  color: var(--waiting);
}

.find {
  display: grid;
  grid-template-columns: minmax(0, 30rem) auto;
  gap: 0 1rem;
  align-items: start;
  margin-bottom: 0.5rem;
}

/* Beside the field, not its label. */
.find .actions {
  margin-top: 1.75rem;
}

@media (max-width: 575px) {
  .find {
    grid-template-columns: minmax(0, 1fr);
  }

  .find .actions {
    margin: 0 0 1.25rem;
  }
}

.masked {
  white-space: nowrap;
}

.choices .role {
  display: block;
  color: var(--soft);
  font-size: 0.875rem;
  font-weight: 400;
}
`;

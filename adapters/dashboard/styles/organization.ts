/** What owners look after. */
export const organizationStyles = `
.warning {
  padding: 0.75rem 1rem;
  border-radius: var(--pico-border-radius);
  background: var(--waiting-back);
  color: var(--waiting);
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

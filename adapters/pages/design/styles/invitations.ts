/** Who is invited. */
export const invitationsStyles = `
.lines .by {
  min-width: 6rem;
}
`;

/** The one-time code of a printed link, which stands in the fragment so that no log has it. */
export const codeOfAddress = (): string | undefined =>
  new URLSearchParams(window.location.hash.slice(1)).get('code') ?? undefined

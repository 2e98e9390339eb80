/** English texts of a console that is seen as another user, in all windows. */
export const en = {
  title: 'Acting as somebody else',
  as: 'You act as',
  backTo: 'Back to',
  allWindows:
    'Acting as somebody else changes all windows of this browser. For two people at once, open a private window with a link that this command prints:',
  actsNow: (name: string) => `You act as ${name} now: changed in another window.`,
  signedInNow: (name: string) => `You are signed in as ${name} now: changed in another window.`,
}

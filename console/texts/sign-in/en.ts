/** English texts of the sign-in. */

export const en = {
  title: (name: string) => `Sign in to ${name}`,
  withProvider: 'Sign in',
  apiKey: 'API key',
  withKey: 'Sign in with the key',
  useLink:
    'Open the link that the service printed when it started. It works once, within ten minutes.',
  forAdministrators: 'For administrators',
  newLink: 'New link',
  newKey: 'New API key',
  ended: 'Your session has ended. Sign in again; what you typed is still here.',
  errors: {
    expired: 'The sign-in took too long or was already used. Start again.',
    refused: 'The identity provider did not sign you in.',
    unknown: 'You have no active user here. Ask an administrator.',
    unavailable: 'The identity provider does not answer. Try again later.',
    failed: 'The sign-in failed.',
  } as Readonly<Record<string, string>>,
}

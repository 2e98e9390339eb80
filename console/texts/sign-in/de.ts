/** German texts of the sign-in. */
import type { en } from './en.ts'

export const de: typeof en = {
  title: (name: string) => `Bei ${name} anmelden`,
  withProvider: 'Anmelden',
  apiKey: 'API-Schlüssel',
  withKey: 'Mit dem Schlüssel anmelden',
  useLink:
    'Öffnen Sie den Link, den der Dienst beim Start ausgegeben hat. Er gilt zehn Minuten lang und nur einmal.',
  forAdministrators: 'Für die Administration',
  newLink: 'Neuer Link',
  newKey: 'Neuer API-Schlüssel',
  ended: 'Ihre Sitzung ist abgelaufen. Melden Sie sich erneut an; Ihre Eingaben bleiben erhalten.',
  errors: {
    expired:
      'Die Anmeldung hat zu lange gedauert oder wurde schon verwendet. Beginnen Sie von vorn.',
    refused: 'Der Identitätsanbieter hat Sie nicht angemeldet.',
    unknown: 'Sie haben hier kein aktives Benutzerkonto. Wenden Sie sich an die Administration.',
    unavailable: 'Der Identitätsanbieter antwortet nicht. Versuchen Sie es später erneut.',
    failed: 'Die Anmeldung ist fehlgeschlagen.',
  },
}

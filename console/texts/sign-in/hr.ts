/** Croatian texts of the sign-in. */
import type { en } from './en.ts'

export const hr: typeof en = {
  title: (name: string) => `Prijava: ${name}`,
  withProvider: 'Prijavi se',
  apiKey: 'API-ključ',
  withKey: 'Prijavi se ključem',
  useLink:
    'Otvorite poveznicu koju je sustav ispisao pri pokretanju. Vrijedi deset minuta i može se upotrijebiti samo jednom.',
  forAdministrators: 'Za administraciju',
  newLink: 'Nova poveznica',
  newKey: 'Novi API-ključ',
  ended: 'Vaša je sesija istekla. Prijavite se ponovno; ono što ste upisali ostaje sačuvano.',
  errors: {
    expired: 'Prijava je trajala predugo ili je već iskorištena. Počnite ispočetka.',
    refused: 'Pružatelj identiteta nije vas prijavio.',
    unknown: 'Ovdje nemate aktivan korisnički račun. Obratite se administratoru.',
    unavailable: 'Pružatelj identiteta ne odgovara. Pokušajte kasnije.',
    failed: 'Prijava nije uspjela.',
  },
}

/** Texts of e-mails about an account, in the language of their reader if it is here, otherwise in English. */
import { languageOf } from '../../definitions/catalog.ts'
import type { messageLanguages } from '../../definitions/translations/languages.ts'

type Said = (project: string) => string

export type AccountTexts = {
  /** Their own. */
  readonly language: string
  readonly dear: Said
  readonly code: {
    readonly subject: Said
    readonly before: Said
    readonly after: readonly string[]
  }
  readonly invitation: {
    readonly subject: Said
    readonly before: Said
    readonly after: readonly string[]
  }
}

const english: AccountTexts = {
  language: 'en',
  dear: (name) => `Dear ${name},`,
  code: {
    subject: (project) => `Sign-in code for ${project}`,
    before: (project) => `This is your code for signing in to ${project}:`,
    after: [
      'Enter it in the browser in which you asked for it. It works once, within ten minutes.',
      'If you did not ask for it, you do not have to do anything: the code signs nobody in on another device.',
    ],
  },
  invitation: {
    subject: (project) => `Invitation to ${project}`,
    before: (project) => `You are invited to ${project}. This link opens your account:`,
    after: [
      'It works once, within 72 hours. Do not forward it: it opens your account for any person who has it.',
    ],
  },
}

const german: AccountTexts = {
  language: 'de',
  dear: (name) => `Guten Tag ${name},`,
  code: {
    subject: (project) => `Anmeldecode für ${project}`,
    before: (project) => `Das ist Ihr Code für die Anmeldung bei ${project}:`,
    after: [
      'Geben Sie ihn in dem Browser ein, in dem Sie ihn angefordert haben. Er gilt einmal und zehn Minuten lang.',
      'Haben Sie ihn nicht angefordert, müssen Sie nichts tun: Mit dem Code kann sich niemand auf einem anderen Gerät anmelden.',
    ],
  },
  invitation: {
    subject: (project) => `Einladung zu ${project}`,
    before: (project) => `Sie sind zu ${project} eingeladen. Dieser Link öffnet Ihr Konto:`,
    after: [
      'Er gilt einmal und 72 Stunden lang. Leiten Sie ihn nicht weiter: Er öffnet Ihr Konto für jede Person, die ihn hat.',
    ],
  },
}

const french: AccountTexts = {
  language: 'fr',
  dear: (name) => `Bonjour ${name},`,
  code: {
    subject: (project) => `Code de connexion à ${project}`,
    before: (project) => `Voici votre code pour vous connecter à ${project} :`,
    after: [
      'Saisissez-le dans le navigateur où vous l’avez demandé. Il est valable une seule fois, pendant dix minutes.',
      'Si vous ne l’avez pas demandé, vous n’avez rien à faire : ce code ne permet à personne de se connecter sur un autre appareil.',
    ],
  },
  invitation: {
    subject: (project) => `Invitation à ${project}`,
    before: (project) => `Vous êtes invité(e) à utiliser ${project}. Ce lien ouvre votre compte :`,
    after: [
      'Il est valable une seule fois, pendant 72 heures. Ne le transférez pas : il ouvre votre compte à toute personne qui le possède.',
    ],
  },
}

const croatian: AccountTexts = {
  language: 'hr',
  dear: (name) => `Poštovani/a ${name},`,
  code: {
    subject: (project) => `Kod za prijavu: ${project}`,
    before: (project) => `Ovo je vaš kod za prijavu (${project}):`,
    after: [
      'Upišite ga u preglednik u kojem ste ga zatražili. Vrijedi jednom, deset minuta.',
      'Ako ga niste zatražili, ne morate ništa učiniti: tim se kodom nitko ne može prijaviti na drugom uređaju.',
    ],
  },
  invitation: {
    subject: (project) => `Poziv: ${project}`,
    before: (project) => `Pozvani ste (${project}). Ova poveznica otvara vaš račun:`,
    after: [
      'Vrijedi jednom, 72 sata. Nemojte je prosljeđivati: otvara vaš račun svakome tko je ima.',
    ],
  },
}

const languages: Readonly<Record<(typeof messageLanguages)[number], AccountTexts>> = {
  en: english,
  de: german,
  fr: french,
  hr: croatian,
}

/** The texts of a locale (BCP 47), such as `de-AT`. */
export const accountTexts = (locale = 'en'): AccountTexts =>
  (languages as Readonly<Record<string, AccountTexts>>)[languageOf(locale)] ?? english

/** German texts of JSON values, and of what is wrong with the text of one. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('de')

export const de: typeof en = {
  fault: (line, text, what) =>
    text === '' ? `Zeile ${line}: ${what}` : `Zeile ${line}, bei „${text}“: ${what}`,
  faults: {
    value: 'Ein Wert fehlt.',
    name: 'Ein Name in doppelten Anführungszeichen fehlt.',
    colon: 'Zwischen einem Namen und seinem Wert fehlt ein Doppelpunkt.',
    comma: 'Ein Komma oder eine schließende Klammer fehlt.',
    spare: 'Nach einem Komma folgt nichts.',
    text: 'Ein schließendes Anführungszeichen fehlt.',
    character:
      'Ein Text enthält einen umgekehrten Schrägstrich oder ein Steuerzeichen, das JSON nicht erlaubt.',
    number: 'Das ist keine Zahl; Dezimalstellen stehen nach einem Punkt.',
    word: 'Texte stehen in doppelten Anführungszeichen. Ohne sie gibt es nur Zahlen, true, false und null.',
    end: 'Nach dem Wert darf nichts folgen.',
  },
  unreadable: 'Das ist kein gültiges JSON.',
  entries: (count) => plural(count, { one: '# Eintrag', other: '# Einträge' }),
}

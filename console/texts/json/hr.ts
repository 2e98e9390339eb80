/** Croatian texts of JSON values, and of what is wrong with the text of one. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('hr')

export const hr: typeof en = {
  fault: (line, text, what) =>
    text === '' ? `Redak ${line}: ${what}` : `Redak ${line}, kod „${text}”: ${what}`,
  faults: {
    value: 'Nedostaje vrijednost.',
    name: 'Nedostaje naziv u dvostrukim navodnicima.',
    colon: 'Nedostaje dvotočka između naziva i njegove vrijednosti.',
    comma: 'Nedostaje zarez ili završna zagrada.',
    spare: 'Nakon zareza ništa ne slijedi.',
    text: 'Nedostaje završni navodnik.',
    character: 'Tekst sadrži obrnutu kosu crtu ili upravljački znak koji JSON ne dopušta.',
    number: 'To nije broj; decimale se odvajaju točkom.',
    word: 'Tekstovi stoje u dvostrukim navodnicima. Bez njih postoje samo brojevi, true, false i null.',
    end: 'Nakon vrijednosti ništa ne smije slijediti.',
  },
  unreadable: 'To nije valjan JSON.',
  entries: (count) => plural(count, { one: '# unos', few: '# unosa', other: '# unosa' }),
}

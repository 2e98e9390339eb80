/** Croatian texts of the page of own changes. */
import type { en } from './en.ts'

export const hr: typeof en = {
  help: 'Što ste promijenili, najnovije prvo. Poništavanje je nova promjena sa svim provjerama; moguće je i danima kasnije.',
  empty: 'Još niste ništa promijenili.',
  more: 'Prikaži starije promjene',
  undo: (what: string, name: string) => `Poništi: ${what}, ${name}`,
  backBy: (action: string) => `${action} …`,
  undone: (name: string) => `Poništeno: ${name}`,
  lastOne: 'Poništi posljednju promjenu',
  unsaved: 'Nije spremljeno',
  unsavedHelp: 'Što ste upisali u ovom pregledniku, a niste spremili ni poslali.',
  newRecord: 'Novi zapis',
  form: 'U obrascu',
  cells: 'Na popisu',
  tasks: 'Novi zadatak',
  discard: (name: string) => `Odbaci upisano: ${name}`,
  reasons: {
    gone: 'U međuvremenu uklonjeno ili vam više nije vidljivo.',
    notAllowed: 'Ne smijete poništiti tu promjenu.',
    changedSince: 'U međuvremenu ponovno promijenjeno.',
    restored: 'Već je vraćeno.',
    owner: 'Prijašnji vlasnik može ponovno preuzeti zapis.',
    moved: 'Zapis je u međuvremenu u drugom koraku.',
    told: 'Drugi su obaviješteni, a nijedna radnja ne vodi natrag.',
    task: 'Ne može se poništiti.',
    onPage: 'Može se ukloniti na stranici zapisa.',
  },
}

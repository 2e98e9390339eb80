/** Croatian texts of the administration. */
import { createPlural } from '../plural.ts'
import type { en } from './en.ts'

const plural = createPlural('hr')

export const hr: typeof en = {
  all: 'Sve',
  again: 'Pokušaj ponovno sada',
  againAll: (count: number) =>
    plural(count, {
      one: 'Ponovno pokušaj #',
      few: 'Ponovno pokušaj sve #',
      other: 'Ponovno pokušaj svih #',
    }),
  selected: (count: number) =>
    plural(count, { one: '# odabrana', few: '# odabrane', other: '# odabranih' }),
  clearSelection: 'Poništi odabir',
  select: (name: string) => `Odaberi ${name}`,
  queued: (count: number) =>
    plural(count, {
      one: '# čeka novi pokušaj.',
      few: '# čekaju novi pokušaj.',
      other: '# čeka novi pokušaj.',
    }),
  notQueued: (count: number) =>
    plural(count, {
      one: '# je u međuvremenu otišla dalje.',
      few: '# su u međuvremenu otišle dalje.',
      other: '# je u međuvremenu otišlo dalje.',
    }),
  moreMatch: 'Ima ih još: pokušajte ponovno i njih.',
  status: 'Stanje',
  tries: 'Pokušaji',
  error: 'Zadnja pogreška',
  created: 'Nastalo',
  record: 'Zapis',
  recordOf: (entity: string, id: number) => `${entity} ${id}`,
  removeFilter: (text: string) => `Ukloni filtar: ${text}`,
  deliveries: {
    title: 'Dostave',
    empty:
      'Još ništa nije poslano. Što obavijesti šalju e-poštom ili webhookom pojavljuje se ovdje.',
    emptyFiltered: 'Nijedna dostava ne odgovara.',
    clear: 'Prikaži sve dostave',
    back: 'Sve dostave',
    statuses: {
      queued: 'Čeka',
      sending: 'Šalje se',
      failed: 'Pokušava se opet',
      dead: 'Odustalo se',
      sent: 'Poslano',
    },
    channels: { email: 'E-pošta', webhook: 'Webhook' },
    channel: 'Kanal',
    allChannels: 'Svi kanali',
    entity: 'Entitet',
    allEntities: 'Svi entiteti',
    recipient: 'Primatelj',
    to: 'Za',
    subject: 'Predmet',
    entry: 'Obavijest',
    when: 'Kada',
    nextTry: 'Idući pokušaj',
    sent: 'Poslano',
    noSubject: 'Bez predmeta',
    message: 'Poruka',
    asSent: 'Kako ju je davatelj usluge prihvatio.',
    asNow: 'Nije spremljena: sastavljena je sada, s današnjim predlošcima, adresama i pravima.',
    html: 'Kao stranica',
    text: 'Tekst',
    request: 'Zahtjev',
    headers: 'Zaglavlja',
    data: 'Podaci za predložak',
    template: (id: string) => `Davatelj usluge puni svoj predložak ${id} ovim podacima.`,
    notComposed: 'Poruka se ne može prikazati.',
    frame: 'E-poruka kako je vidi primatelj; slike s drugih mjesta ne učitavaju se',
    attachments: 'Prilozi',
    download: (name: string) => `Preuzmi ${name}`,
    fault: (text: string) => `Nije se mogao izraditi: ${text}`,
    operations: {
      create: 'nastao zapis',
      takeOwnership: 'preuzet zapis',
      proceedToStep: 'promijenjen korak',
    },
  },
  jobs: {
    title: 'Poslovi',
    empty: 'Ništa ne čeka: svi su poslovi gotovi.',
    emptyFiltered: 'Takvih poslova nema.',
    statuses: {
      waiting: 'Čeka',
      running: 'Radi',
      scheduled: 'Zakazano',
      failing: 'Pokušava se opet',
      dead: 'Odustalo se',
    },
    task: 'Posao',
    about: 'Zapis',
    runAt: 'Počinje u',
    triesOf: (tries: number, most: number) => `${tries} od ${most}`,
    queue: 'Red',
    key: 'Ključ',
    worker: 'Proces',
    removeMany: 'Ukloni …',
    remove: 'Ukloni zauvijek',
    removeTitle: (count: number) =>
      plural(count, {
        one: 'Ukloniti # posao?',
        few: 'Ukloniti # posla?',
        other: 'Ukloniti # poslova?',
      }),
    removeWarning:
      'Što je trebao učiniti ne događa se nikad: obavijest se ne šalje, datoteka ne nastaje.',
  },
}

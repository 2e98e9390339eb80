/** Croatian texts of the printable documents of a record. */
import type { en } from './en.ts'

export const hr: typeof en = {
  open: 'Otvori u novoj kartici',
  download: 'Preuzmi',
  noViewer: 'Ovaj preglednik ne prikazuje PDF na stranici, pa je prikazan kao slika.',
  failed: 'Dokument nije moguće izraditi.',
  boxes: (scripts: string) =>
    `Ovaj dokument umjesto nekih znakova ispisuje kvadratiće (${scripts}), jer ih nijedan font ne sadrži. Administrator može dodati font.`,
}

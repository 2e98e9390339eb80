/** German texts of the printable documents of a record. */
import type { en } from './en.ts'

export const de: typeof en = {
  title: 'Dokumente',
  open: 'In neuem Tab öffnen',
  download: 'Herunterladen',
  noViewer: 'Dieser Browser zeigt keine PDFs in einer Seite, darum ist dies ein Bild davon.',
  failed: 'Das Dokument konnte nicht erzeugt werden.',
}

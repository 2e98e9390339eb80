/** German texts of the printable documents of a record. */
import type { en } from './en.ts'

export const de: typeof en = {
  open: 'In neuem Tab öffnen',
  download: 'Herunterladen',
  noViewer: 'Dieser Browser zeigt keine PDFs auf der Seite an, deshalb sehen Sie ein Bild davon.',
  failed: 'Das Dokument konnte nicht erzeugt werden.',
  boxes: (scripts: string) =>
    `Dieses Dokument druckt anstelle mancher Zeichen Kästchen (${scripts}), weil keine Schrift sie enthält. Ein Administrator kann eine Schrift hinzufügen.`,
}

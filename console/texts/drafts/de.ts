/** German texts of what is typed and not saved. */

export const de = {
  restored: 'Wiederhergestellt: Ihre letzten Eingaben waren nicht gespeichert.',
  gone: 'Dieser Datensatz wurde gerade entfernt oder ist für Sie nicht mehr sichtbar. Ihre Eingaben bleiben hier, bis Sie das Formular schließen.',
  copyTyped: 'Eingaben kopieren',
  copied: 'Kopiert',
}

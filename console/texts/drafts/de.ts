/** German texts of what is typed and not saved. */

export const de = {
  restored: 'Wiederhergestellt: Ihre letzten Eingaben waren nicht gespeichert.',
  leaveTitle: 'Seite ohne Speichern verlassen?',
  leaveHelp:
    'Ihre Eingaben können in diesem Browser aufbewahrt werden, bis Sie zurückkommen, oder verworfen werden.',
  keepAndLeave: 'Aufbewahren und verlassen',
  stay: 'Auf der Seite bleiben',
  gone: 'Dieser Datensatz wurde gerade entfernt oder ist für Sie nicht mehr sichtbar. Ihre Eingaben bleiben hier, bis Sie das Formular schließen.',
  copyTyped: 'Eingaben kopieren',
  copied: 'Kopiert',
}

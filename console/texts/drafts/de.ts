/** German texts of what is typed and not saved. */

export const de = {
  restored: 'Wiederhergestellt: Was Sie zuvor geschrieben haben, war nicht gespeichert.',
  leaveTitle: 'Ohne zu speichern verlassen?',
  leaveHelp:
    'Was Sie geschrieben haben, kann in diesem Browser bleiben, bis Sie zurückkommen, oder verworfen werden.',
  keepAndLeave: 'Behalten und verlassen',
  stay: 'Hier bleiben',
  gone: 'Dieser Datensatz wurde gerade entfernt, oder Sie dürfen ihn nicht mehr sehen. Was Sie geschrieben haben, bleibt hier, bis Sie das Formular schließen.',
  copyTyped: 'Geschriebenes kopieren',
  copied: 'Kopiert',
}

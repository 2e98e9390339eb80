/** German texts of what is typed and not saved. */

export const de = {
  restored: 'Wiederhergestellt: Was Sie zuvor geschrieben haben, war nicht gespeichert.',
  leaveTitle: 'Ohne zu speichern verlassen?',
  leaveHelp:
    'Was Sie geschrieben haben, kann in diesem Browser bleiben, bis Sie zurückkommen, oder verworfen werden.',
  keepAndLeave: 'Behalten und verlassen',
  stay: 'Hier bleiben',
}

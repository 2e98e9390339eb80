/** English texts of the dialogs of views. */

export const en = {
  removeTitle: (name: string) => `Remove the view ${name}?`,
  removeHelp: 'Everybody who uses it loses it. The records stay.',
  removeIt: 'Remove the view',
  saveTitle: 'Save this list as a view',
  name: 'Name',
  sharedWith: 'For',
}

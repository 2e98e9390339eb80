/** English texts of the dialogs of views. */

export const en = {
  removeTitle: (name: string) => `Remove the view ${name}?`,
  removeHelp: 'Everybody who uses it loses it. The records stay.',
  removeIt: 'Remove the view',
  renameTitle: (name: string) => `Rename the view ${name}`,
  renameHelp: 'Everybody who uses it sees the new name.',
  renameIt: 'Rename',
  wasCalled: (name: string) => `The view was called ${name} before.`,
  saveTitle: 'Save this list as a view',
  name: 'Name',
  sharedWith: 'For',
}

/** English texts of keyboard shortcuts. */

export const en = {
  title: 'Keyboard shortcuts',
  places: { page: 'On this page', everywhere: 'Everywhere' },
  nextKey: 'then',
  names: {
    Ctrl: 'Ctrl',
    Shift: 'Shift',
    Enter: 'Enter',
    Space: 'Space',
    Escape: 'Esc',
  } as Readonly<Record<string, string>>,
  singleKeysOff: 'Keys without Ctrl are switched off in your settings.',
  create: 'Create a record',
}

/** German texts of keyboard shortcuts. */

export const de = {
  title: 'Tastenkürzel',
  places: { page: 'Auf dieser Seite', everywhere: 'Überall' },
  nextKey: 'dann',
  names: {
    Ctrl: 'Strg',
    Shift: 'Umschalt',
    Enter: 'Eingabe',
    Space: 'Leertaste',
    Escape: 'Esc',
  } as Readonly<Record<string, string>>,
  singleKeysOff: 'Tastenkürzel ohne Strg sind in Ihren Einstellungen ausgeschaltet.',
  create: 'Datensatz anlegen',
}

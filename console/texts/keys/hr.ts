/** Croatian texts of keyboard shortcuts. */

export const hr = {
  title: 'Tipkovni prečaci',
  places: { page: 'Na ovoj stranici', everywhere: 'Svugdje' },
  nextKey: 'zatim',
  names: {
    Ctrl: 'Ctrl',
    Shift: 'Shift',
    Enter: 'Enter',
    Space: 'razmaknica',
    Escape: 'Esc',
  } as Readonly<Record<string, string>>,
  singleKeysOff: 'Tipke bez Ctrl isključene su u vašim postavkama.',
  create: 'Izradi zapis',
}

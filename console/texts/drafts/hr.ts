/** Croatian texts of what is typed and not saved. */

export const hr = {
  restored: 'Vraćeno: vaš prethodni unos nije bio spremljen.',
  gone: 'Ovaj je zapis upravo uklonjen ili ga više ne smijete vidjeti. Vaš unos ostaje ovdje dok ne zatvorite obrazac.',
  copyTyped: 'Kopiraj unos',
  copied: 'Kopirano',
}

/** Croatian texts of what is typed and not saved. */

export const hr = {
  restored: 'Vraćeno: ono što ste prije upisali nije bilo spremljeno.',
  leaveTitle: 'Otići bez spremanja?',
  leaveHelp: 'Upisano može ostati u ovom pregledniku dok se ne vratite ili se može odbaciti.',
  keepAndLeave: 'Zadrži i otiđi',
  stay: 'Ostani ovdje',
  gone: 'Ovaj je zapis upravo uklonjen ili ga više ne smijete vidjeti. Upisano ostaje ovdje dok ne zatvorite obrazac.',
  copyTyped: 'Kopiraj upisano',
  copied: 'Kopirano',
}

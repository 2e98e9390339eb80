/** Croatian texts of what is typed and not saved. */

export const hr = {
  restored: 'Vraćeno: ono što ste prije upisali nije bilo spremljeno.',
  leaveTitle: 'Otići bez spremanja?',
  leaveHelp: 'Upisano može ostati u ovom pregledniku dok se ne vratite ili se može odbaciti.',
  keepAndLeave: 'Zadrži i otiđi',
  stay: 'Ostani ovdje',
}

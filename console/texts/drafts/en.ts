/** English texts of what is typed and not saved. */

export const en = {
  restored: 'Restored: what you typed before was not saved.',
  gone: 'This record was just removed, or you may no longer see it. What you typed stays here until you close the form.',
  copyTyped: 'Copy what I typed',
  copied: 'Copied',
}

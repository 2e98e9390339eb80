/** English texts of what is typed and not saved. */

export const en = {
  restored: 'Restored: what you typed before was not saved.',
  leaveTitle: 'Leave without saving?',
  leaveHelp: 'What you typed can be kept in this browser until you come back, or discarded.',
  keepAndLeave: 'Keep and leave',
  stay: 'Stay here',
}

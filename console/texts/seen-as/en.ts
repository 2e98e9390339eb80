/** English texts of a console that is seen as another user. */
export const en = {
  title: 'Acting as somebody else',
  as: 'You act as',
  backTo: 'Back to',
}

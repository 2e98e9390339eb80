/** English texts of calculated values. */
export const en = { whenSaved: 'Calculated when saved' }

/** English texts of the form of a whole filter. */

export const en = {
  title: 'Change the filter',
  group: (level: number) => `Group of level ${level}`,
  joinOf: (level: number) => `How the conditions of level ${level} are joined`,
  joins: {
    and: 'All of these',
    or: 'Any of these',
    'not-and': 'Not all of these',
    'not-or': 'None of these',
  },
  addCondition: 'Add a condition',
  addGroup: 'Add a group',
  removeCondition: 'Remove the condition',
  removeGroup: (level: number) => `Remove the group of level ${level}`,
}

/** English texts of the form of a whole filter. */

export const en = {
  title: 'Advanced filter',
  chosenColumns: 'In this list',
  field: 'Field',
  condition: 'Condition',
  value: 'Value',
  values: 'Values, one per line',
  choices: 'Values',
  apply: 'Apply',
  advanced: 'Advanced filter …',
  removeValue: (value: string) => `Remove the value ${value}`,
  patternHelp: '% stands for any characters, _ for one.',
  problem: {
    title: 'The filter cannot be applied',
    unknown: (path: string) => `There is no field “${path}”, or you may not see it.`,
    unread: (condition: string) =>
      `${condition}: this value cannot be read. Change the condition above the list, or remove it.`,
    unreadable: 'The address holds a filter that cannot be read.',
    remove: 'Remove this condition',
    removeAll: 'Clear the filter',
  },
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

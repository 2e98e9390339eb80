/** English texts of the search in all records. */

export const en = {
  title: 'Search',
  results: 'Pages and records',
  all: 'All results',
  help: 'Finds records by their names, titles, ids and other unique values.',
  none: (words: string) => `No name, title or id has “${words}”.`,
  noneHelp: 'Try fewer letters, or look into all fields:',
  lists: 'Other fields too',
  more: 'Show more',
  moreOf: (plural: string) => `Show more: ${plural}`,
  incomplete: 'Not searched to the end, because it takes too long:',
}

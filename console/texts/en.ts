/** English texts. */

import { en as cellTexts } from './cells/en.ts'
import { en as changes } from './changes/en.ts'
import { en as drafts } from './drafts/en.ts'
import { en as keys } from './keys/en.ts'
import { createPlural } from './plural.ts'
import { en as selection } from './selection/en.ts'

const plural = createPlural('en')

/** A name within a sentence: `Maintenance requests`, but not `VAT returns`, begins in lower case. */
const withinSentence = (name: string): string =>
  /^\p{Lu}\p{Ll}/u.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : name

export const en = {
  common: {
    calendar: 'Calendar',
    cancel: 'Cancel',
    close: 'Close',
    save: 'Save',
    retry: 'Try again',
    loading: 'Loading …',
    yes: 'Yes',
    no: 'No',
    none: 'None',
    more: 'More',
    signOut: 'Sign out',
    undo: 'Undo',
    skipToContent: 'Skip to the content',
  },
  problem: {
    unreachable: 'The service does not answer.',
    unreachableHint: 'What you see stays. The page tries again automatically.',
    notFound: 'There is no such page.',
    notFoundHint: 'It does not exist, was removed, or your role may not see it.',
    unexpected: 'Something went wrong on this page.',
    stale: 'What you see may be out of date.',
  },
  become: { title: 'Act as somebody else' },
  navigation: {
    short: 'Quick navigation',
    search: 'Search',
    label: 'Main navigation',
    open: 'Open the navigation',
  },
  administration: {
    title: 'Administration',
    others: 'More',
    deliveries: 'Deliveries',
    jobs: 'Jobs',
    explain: 'Who is notified',
    definitions: 'Definitions',
    roles: 'Rights of roles',
    mail: 'Caught e-mails',
  },
  inbox: { title: 'Inbox' },
  approvals: { title: 'Approvals' },
  palette: {
    title: 'Find anything',
    none: 'Nothing found.',
  },
  views: {
    title: 'Views',
    changed: 'changed',
    save: 'Save the changes',
    reset: 'Back to the saved view',
    saveAs: 'Save as a new view …',
    saveAsShort: 'Save as …',
    resetShort: 'Reset',
    resetAll: 'Reset the list',
    remove: (name: string) => `Remove the view ${name}`,
    rename: (name: string) => `Rename the view ${name} …`,
    allOf: (plural: string) => `All ${withinSentence(plural)}`,
    saved: 'saved',
    sharing: { me: 'me', role: 'my role', all: 'everybody' },
  },
  list: {
    export: 'Export',
    find: 'Find in this list',
    rows: (count: number) => plural(count, { one: '# record', other: '# records' }),
    empty: 'There are no records yet.',
    emptyFiltered: 'No record matches the filter.',
    clearFilter: 'Clear the filter',
    columns: 'Columns',
    columnsOf: (entity: string) => `Columns of ${entity}`,
    columnMenu: (column: string) => `Menu of the column ${column}`,
    label: (entity: string) => `${entity}, list`,
  },
  filter: {
    add: 'Filter',
    title: 'Add a filter',
  },
  cells: cellTexts,
  changes,
  keys,
  documents: { title: 'Documents' },
  selection,
  settings: { title: 'Settings' },
  tasks: { title: 'My tasks', overdue: 'overdue', ofRecord: 'Tasks' },
  drafts,
  day: { title: 'My day' },
  record: {
    create: 'Create',
    newOf: (entity: string) => `New ${withinSentence(entity)}`,
    ownChanges: 'My changes',
    comment: 'Comment',
    discard: 'Discard',
    you: (name: string) => `${name} (you)`,
    acting: (name: string, acting: string) => `${name} (acting: ${acting})`,
  },
}

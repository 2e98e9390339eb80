/** English texts that the first list needs. */
import { createPlural } from '../plural.ts'

const plural = createPlural('en')
/** A name within a sentence: `Maintenance requests`, but not `VAT returns`, begins in lower case. */
export const withinSentence = (name: string): string =>
  /^\p{Lu}\p{Ll}/u.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : name

export const first = {
  common: {
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
  become: { title: 'Act as another user' },
  navigation: {
    short: 'Quick navigation',
    search: 'Search',
    label: 'Main navigation',
    open: 'Open the navigation',
  },
  administration: {
    title: 'Administration',
    others: 'More',
    users: 'Users',
    queue: 'Deliveries and jobs',
    audit: 'Audit',
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
    import: 'Import',
    find: 'Find in this list',
    rows: (count: number) => plural(count, { one: '# record', other: '# records' }),
    columns: 'Columns',
    columnsOf: (entity: string) => `Columns of ${entity}`,
    columnMenu: (column: string) => `Menu of the column ${column}`,
    label: (entity: string) => `${entity}, list`,
  },
  filter: {
    add: 'Filter',
    title: 'Add a filter',
  },
  cells: {
    shortcut: 'Edit the cell of a list',
    cell: (column: string, record: string) => `${column} of ${record}`,
    fixed: (column: string) => `${column} cannot be changed here.`,
    refused: 'Not saved.',
    conflict: 'Another user has saved a different value.',
    marks: {
      left: 'no longer matches',
      gone: 'removed',
      unread: 'no longer readable',
    },
  },
  // What others change while a page is open.
  changes: {
    newRecords: (count: number) => plural(count, { one: '# new record', other: '# new records' }),
    load: 'Show them',
  },
  keys: {
    title: 'Keyboard shortcuts',
    names: {
      Ctrl: 'Ctrl',
      Shift: 'Shift',
      Enter: 'Enter',
      Space: 'Space',
      Escape: 'Esc',
    } as Readonly<Record<string, string>>,
    create: 'Create a record',
  },
  documents: { title: 'Documents' },
  selection: {
    totals: 'Totals',
    export: 'Export the selected records',
    label: 'Selection',
    hint: 'Select records to change or export them together: with x, with Shift and a click, or all at once.',
    select: (name: string) => `Select ${name}`,
    selectAll: 'Select all that match',
    everything: 'All',
    clear: 'Clear the selection',
    selected: (count: number) => plural(count, { one: '# selected', other: '# selected' }),
    allSelected: (count: number) =>
      plural(count, { one: 'All # selected', other: 'All # selected' }),
    all: (count: number) => plural(count, { one: 'Select all #', other: 'Select all #' }),
    allShort: (count: number) => plural(count, { one: 'All #', other: 'All #' }),
    tooMany: (limit: number) =>
      plural(limit, {
        one: 'Only # record can be selected one by one. Select all that match instead.',
        other: 'Only # records can be selected one by one. Select all that match instead.',
      }),
  },
  settings: { title: 'Settings' },
  tasks: { title: 'My tasks', overdue: 'overdue' },
  day: { title: 'My day' },
  removed: { title: 'Removed' },
  record: {
    create: 'Create',
    ownChanges: 'My changes',
    you: (name: string) => `${name} (you)`,
    acting: (name: string, acting: string) => `${name} (acting: ${acting})`,
  },
}

/** How command lines for users call this Docket. */

// `docket` is not in the PATH, neither in a clone nor after a local npm install.
const isClone = import.meta.url.endsWith('.ts')

const ownName = isClone ? 'npm run -s docket --' : 'npx docket'

/** A command line for the project in a folder, for a POSIX shell. */
export const commandLine = (words: string, project: string): string =>
  `${ownName} ${words} --project ${quoted(project)}`

/** A word of a POSIX shell. */
export const quoted = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

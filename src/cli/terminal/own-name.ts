/** How lines that are shown to be pasted into a shell call this Docket. */

// A shell knows no docket, neither in a clone nor where npm has installed it beside a project; npm does.
const isClone = import.meta.url.endsWith('.ts')

const ownName = isClone ? 'npm run -s docket --' : 'npx docket'

/** A command line for the project in a folder, to be pasted into a POSIX shell. */
export const commandLine = (words: string, project: string): string =>
  `${ownName} ${words} --project ${quoted(project)}`

/** A word of a POSIX shell. */
export const quoted = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

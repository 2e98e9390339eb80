/** The output of `--help`. */
import type { NamedCommand } from '../command.ts'
import { alignedTable } from './table.ts'

/** The list of commands. */
export const overview = (commands: readonly NamedCommand[]): string =>
  `docket: a service for business records on PostgreSQL

Usage: docket COMMAND [options]

Commands:
${alignedTable(
  commands.map(({ name, usage, summary }) => [`${name} ${usage}`.trim(), summary]),
  '  ',
)}

docket COMMAND --help shows the options of a command, docket --version the version.
Settings of the environment: docs/configuration.md. Exit codes: 0 done, 1 failed, 2 wrong usage,
3 the project has errors, 4 the database cannot follow the definitions without permission,
5 a check of the database warns, 6 one fails.
`

/** One command with its options. */
export const helpOf = (command: NamedCommand): string => {
  const options = Object.entries(command.options).map(([name, option]) => [
    `--${name}${option.value ? ` ${option.value}` : ''}`,
    option.help,
  ])
  return `${command.summary}

Usage: docket ${[command.name, command.usage].filter(Boolean).join(' ')} [options]

Options:
${alignedTable(options, '  ')}
`
}

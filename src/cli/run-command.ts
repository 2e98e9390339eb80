/** Runs one command: finds it, reads its options and the environment, and returns its exit code. */
import { parseArgs } from 'node:util'
import { loadConfig } from '../config/load-config.ts'
import { isUnavailable } from '../database/database-errors.ts'
import { closestWord } from '../did-you-mean.ts'
import { ApiError, errorText, StartupError } from '../errors.ts'
import { packageVersion } from '../package-version.ts'
import { SchemaRefusal } from '../schema-sync/diff/change.ts'
import { createLogger } from '../telemetry/logger.ts'
import {
  type Command,
  type CommandOption,
  exitCodes,
  type NamedCommand,
  type Terminal,
  UsageError,
} from './command.ts'
import { alignedTable } from './output.ts'

// Loaded on demand, because loading the whole service takes longer than most commands.
const commands: Readonly<Record<string, () => Promise<{ readonly command: Command }>>> = {
  init: () => import('./commands/init.ts'),
  start: () => import('./commands/start.ts'),
  worker: () => import('./commands/worker.ts'),
  check: () => import('./commands/check.ts'),
  migrate: () => import('./commands/migrate.ts'),
  seed: () => import('./commands/seed.ts'),
  token: () => import('./commands/token.ts'),
  login: () => import('./commands/login.ts'),
  invite: () => import('./commands/invite.ts'),
  'api-key': () => import('./commands/api-key.ts'),
  export: () => import('./commands/export.ts'),
  import: () => import('./commands/import.ts'),
  anonymise: () => import('./commands/anonymise.ts'),
  retention: () => import('./commands/retention.ts'),
  series: () => import('./commands/series.ts'),
  files: () => import('./commands/files.ts'),
  backup: () => import('./commands/backup.ts'),
  restore: () => import('./commands/restore.ts'),
  deliveries: () => import('./commands/deliveries.ts'),
  doctor: () => import('./commands/doctor.ts'),
  'database-url': () => import('./commands/database-url.ts'),
  function: () => import('./commands/function.ts'),
  document: () => import('./commands/document.ts'),
}

const load = async (name: string): Promise<NamedCommand | undefined> => {
  const row = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!row) return undefined
  const { command } = await row()
  const project = command.takesNoProject ? undefined : projectOption
  return { name, ...command, options: { ...command.options, ...project, ...helpOption } }
}

const projectOption = {
  project: {
    type: 'string',
    value: 'DIR',
    help: 'Folder of the project (PROJECT; default: the working folder).',
  },
} satisfies Record<string, CommandOption>
const helpOption = {
  help: { type: 'boolean', short: 'h', help: 'Show this help.' },
} satisfies Record<string, CommandOption>
// Options override environment variables.
const variables: Readonly<Record<string, string>> = {
  project: 'PROJECT',
  port: 'PORT',
  host: 'HOST',
}

type Surroundings = {
  readonly environment: NodeJS.ProcessEnv
  readonly terminal: Terminal
}

/** Runs the command that the words name. Errors are printed, and become exit codes. */
export const runCommand = (
  words: readonly string[],
  { environment, terminal }: Surroundings,
): Promise<number> =>
  run(words, { environment, terminal }).catch((error: unknown) => report(error, terminal))

const run = async (
  words: readonly string[],
  { environment, terminal }: Surroundings,
): Promise<number> => {
  const [name, ...rest] = words
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const all = await Promise.all(Object.keys(commands).map(load))
    terminal.out(overview(all.filter((command) => command !== undefined)))
    return name === undefined ? exitCodes.usage : exitCodes.done
  }
  if (name === '--version' || name === '-V') {
    terminal.out(`${packageVersion()}\n`)
    return exitCodes.done
  }
  const command = await load(name)
  if (!command) {
    const near = closestWord(name, Object.keys(commands))
    const message = `There is no command "${name}"${near ? `; did you mean "${near}"?` : '.'}`
    return misused(terminal, message, 'docket --help')
  }
  const read = readWords(command, rest)
  if ('issue' in read) return misused(terminal, read.issue, `docket ${name} --help`)
  if (read.values.help) {
    terminal.out(helpOf(command))
    return exitCodes.done
  }
  const config = loadConfig({ ...environment, ...asVariables(read.values) })
  // Short lines on a terminal, otherwise JSON.
  const observe = createLogger({
    level: config.LOG_LEVEL,
    isPretty: terminal.isInteractive,
    write: terminal.note,
  })
  return command.run({
    config,
    options: read.values,
    positionals: read.positionals,
    environment,
    terminal,
    observe,
  })
}

const readWords = (command: NamedCommand, words: readonly string[]) => {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: command.options,
      allowPositionals: command.positionals > 0,
    })
    const isHelp = values.help === true
    if (!isHelp && positionals.length !== command.positionals)
      return { issue: `docket ${command.name} takes ${command.usage || 'no arguments'}.` }
    return { values: values as Record<string, string | boolean | undefined>, positionals }
  } catch (error) {
    return { issue: errorText(error) }
  }
}

const asVariables = (values: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables)
      .filter(([option]) => typeof values[option] === 'string')
      .map(([option, variable]) => [variable, String(values[option])]),
  )

const misused = (terminal: Terminal, message: string, help: string): number => {
  terminal.note(`${message}\nSee ${help}.\n`)
  return exitCodes.usage
}

/** Prints a message; a stack only for internal errors. */
const report = (error: unknown, terminal: Terminal): number => {
  const isExpected = error instanceof StartupError || error instanceof ApiError
  const ofDatabase = databaseSentence(error)
  const stack = error instanceof Error ? error.stack : undefined
  const text = isExpected ? errorText(error) : (ofDatabase ?? stack ?? errorText(error))
  terminal.note(`${text}${isExpected && ofDatabase ? `\n${rightsHint}` : ''}\n`)
  if (error instanceof SchemaRefusal) return exitCodes.refused
  return error instanceof UsageError ? exitCodes.usage : exitCodes.failed
}

const rightsHint = 'docs/operations.md lists the rights that the role of DATABASE_URL needs.'

/** The message for an unavailable database or missing rights; undefined for other errors. */
const databaseSentence = (error: unknown): string | undefined => {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  if ([code, cause?.code].includes('42501'))
    return `PostgreSQL refused: ${errorText(error)}. ${rightsHint}`
  if (isUnavailable(error)) return `The database is unavailable: ${errorText(error)}.`
  return undefined
}

/** The list of commands. */
const overview = (commands: readonly NamedCommand[]): string =>
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
const helpOf = (command: NamedCommand): string => {
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

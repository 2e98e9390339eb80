/** Defines a command of `docket`, each a row of the table in run-command.ts, and reads the values of its options. */
import type { Readable, Writable } from 'node:stream'
import type { ParseArgsOptionsConfig } from 'node:util'
import type { Config } from '../config/load-config.ts'
import { StartupError } from '../errors.ts'
import type { Observe } from '../observations.ts'

/** Input and output of a command; tests pass their own. */
export type Terminal = {
  readonly out: (text: string) => void
  /** Progress and notes, never part of the result. */
  readonly note: (text: string) => void
  /** For results that are files, such as an export. */
  readonly stdout: Writable
  readonly stdin: Readable
  /** Whether notes are shown on a terminal. */
  readonly isInteractive: boolean
  /** Whether `out` prints to a terminal, not to a pipe, file or log. */
  readonly isShown: boolean
}

export type CommandOption = ParseArgsOptionsConfig[string] & {
  /** Placeholder of the value in --help, such as `DIR`. */
  readonly value?: string
  readonly help: string
}

export type Context = {
  readonly config: Config
  readonly options: Readonly<Record<string, string | boolean | undefined>>
  readonly positionals: readonly string[]
  /** What is no setting, such as the variables of functions. */
  readonly environment: NodeJS.ProcessEnv
  readonly terminal: Terminal
  readonly observe: Observe
}

export type Command = {
  /** Arguments after the name, such as `ENTITY`. */
  readonly usage: string
  readonly summary: string
  readonly options: Readonly<Record<string, CommandOption>>
  /** Whether the command has no option --project, because it creates the project. */
  readonly takesNoProject?: boolean
  /** Number of arguments. */
  readonly positionals: number
  /** Returns the exit code (docs/commands.md). */
  readonly run: (context: Context) => Promise<number>
}

export type NamedCommand = Command & { readonly name: string }

/** For commands that run jobs. */
export const watchOption: CommandOption = {
  type: 'boolean',
  help: 'Use changed functions and e-mail templates at the next event.',
}

/** For long-running commands with a database role that may not change tables. */
export const noMigrateOption: CommandOption = {
  type: 'boolean',
  help: 'Do not change tables; fail when the definitions need changes.',
}

/** Exit codes that scripts can rely on. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  findings: 3,
  refused: 4,
  /** Of checks of a database: the worst is a warning, or a failure. */
  warned: 5,
  unhealthy: 6,
} as const

/** Ends a command with the exit code of a usage error. */
export class UsageError extends StartupError {}

type Value = string | boolean | undefined

/** A required option. */
export const requiredText = (value: Value, name: string): string => {
  if (typeof value === 'string' && value !== '') return value
  throw new UsageError(`--${name} is required.`)
}

/** `--id` of a record. */
export const requiredId = (value: Value): number => {
  const text = requiredText(value, 'id')
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new UsageError(`--id must be the number of a record; it is "${text}".`)
}

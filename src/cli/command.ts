/** What a command of `docket` is. Each one is a row of the table in main.ts, which gives it its name. */
import type { ParseArgsOptionsConfig } from 'node:util'
import type { Config } from '../config/load-config.ts'
import type { Observe } from '../observations.ts'

/** Where a command prints; a test hands in its own. */
export type Terminal = {
  readonly out: (text: string) => void
  /** For people only: progress and notes, never part of the result. */
  readonly note: (text: string) => void
  /** Whether a person is watching. */
  readonly isInteractive: boolean
  /** Whether what `out` prints is shown on a terminal, and kept by no pipe, file or log. */
  readonly isShown: boolean
}

export type CommandOption = ParseArgsOptionsConfig[string] & {
  /** Shown by --help; the word after the option's name, such as `DIR`. */
  readonly value?: string
  readonly help: string
}

export type Context = {
  readonly config: Config
  readonly options: Readonly<Record<string, string | boolean | undefined>>
  readonly positionals: readonly string[]
  readonly terminal: Terminal
  readonly observe: Observe
}

export type Command = {
  /** What stands behind the name, such as `ENTITY`. */
  readonly usage: string
  readonly summary: string
  readonly options: Readonly<Record<string, CommandOption>>
  /** Whether the command has no option --project, because it makes the project. */
  readonly takesNoProject?: boolean
  /** How many words it takes. */
  readonly positionals: number
  /** Answers with the exit code (docs/commands.md). */
  readonly run: (context: Context) => Promise<number>
}

export type NamedCommand = Command & { readonly name: string }

/** Of commands that run jobs. */
export const watchOption: CommandOption = {
  type: 'boolean',
  help: 'Use changed functions and e-mail templates at the next event.',
}

/** Of commands that run for long, as a role of the database that may change no tables. */
export const noMigrateOption: CommandOption = {
  type: 'boolean',
  help: 'Change no tables; refuse to start where the definitions need it.',
}

/** Exit codes that scripts can rely on. */
export const exitCodes = { done: 0, failed: 1, usage: 2, findings: 3, refused: 4 } as const

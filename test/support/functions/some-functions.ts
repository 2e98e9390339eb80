/** Functions in a temporary folder, with services that a test provides. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { loadConfig } from '../../../src/config/load-config.ts'
import { functionLimitsOf } from '../../../src/config/process-limits.ts'
import { findFunctions } from '../../../src/functions/find-functions.ts'
import { FunctionError } from '../../../src/functions/function-call.ts'
import type { FunctionSubject, OfferedServices } from '../../../src/functions/function-context.ts'
import {
  createProjectFunctions,
  type ProjectFunctions,
} from '../../../src/functions/project-functions.ts'
import { afterwards } from '../afterwards.ts'

export const subject: FunctionSubject = {
  entityKey: 'order',
  entityId: 7,
  record: { id: 7, number: 'PO-7' },
  actor: { id: 1, full_name: 'Anna Kovač' },
  operation: null,
  action: null,
  comment: null,
  changes: null,
}

export type Logged = { readonly function: string; readonly severity: string; readonly text: string }

export type TestFunctions = ProjectFunctions & {
  readonly directory: string
  readonly logged: readonly Logged[]
  /** Overwrites a file of the project. */
  readonly write: (file: string, text: string) => Promise<void>
  /** The text of the only document that a function makes. */
  readonly textOf: (name: string, about?: FunctionSubject) => Promise<string>
  /** The error that a document function fails with. */
  readonly errorOf: (name: string) => Promise<FunctionError>
  /** Ends the threads and removes the folder. */
  readonly remove: () => Promise<void>
}

/** No service at all. */
export const noServices: OfferedServices = {
  exportEntity: () => {
    throw new Error('there are no exports')
  },
  findRecords: async () => '[]',
  renderDocument: async () => new Uint8Array(),
  readFile: () => {
    throw new Error('there are no files')
  },
}

type All = Parameters<typeof createProjectFunctions>[0]
type Options = Partial<Omit<All, 'files' | 'observe' | 'limits'> & All['limits']>

/** Files by their path, such as `document-functions/lines.ts`. */
export const createFunctions = async (
  files: Readonly<Record<string, string>>,
  options: Options = {},
): Promise<TestFunctions> => {
  const directory = await mkdtemp(join(tmpdir(), 'docket-functions-'))
  const write = async (file: string, text: string) => {
    await mkdir(dirname(join(directory, file)), { recursive: true })
    await writeFile(join(directory, file), text)
  }
  for (const [file, text] of Object.entries(files)) await write(file, text)
  const logged: Logged[] = []
  const { services = noServices, watch = false, nodeEnv = 'production', ...rest } = options
  const { variables = {}, ...limits } = rest
  const functions = createProjectFunctions({
    services,
    watch,
    nodeEnv,
    variables,
    limits: {
      ...functionLimitsOf(loadConfig({})),
      maxBytes: 1_000_000,
      maxProcesses: 2,
      loadTimeoutMs: 60_000,
      ...limits,
    },
    files: (await findFunctions(directory)).files,
    observe: (observation) => {
      if (observation.kind === 'functionLogged') logged.push(observation)
    },
  })
  return {
    ...functions,
    directory,
    logged,
    write,
    textOf: async (name, about = subject) => {
      const documents = await functions.makeDocuments(name, about)
      return documents.map(({ data }) => Buffer.from(data).toString()).join('|')
    },
    errorOf: async (name) => {
      const error = await functions.makeDocuments(name, subject).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      if (error instanceof FunctionError) return error
      throw new Error(`${name} ended with ${error}`)
    },
    remove: afterwards(async () => {
      await functions.close()
      await rm(directory, { recursive: true })
    }),
  }
}

/** A document function with this body, which may use `context`. It returns a document with the returned text. */
export const answering = (body: string, timeout = 60_000): string =>
  `export const timeout = ${timeout}
export const exec = async (context) => {
  const text = await (async () => { ${body} })()
  return { documents: [{ filename: 'a.txt', mimetype: 'text/plain', data: Buffer.from(String(text)) }] }
}
`

/** A document function whose `exec` has this body. */
export const running = (body: string, timeout = 60_000): string =>
  `export const timeout = ${timeout}
export const exec = async (context) => { ${body} }
`

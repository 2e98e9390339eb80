/** `docket function`: runs a document function on a record and writes its documents to a folder. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { functionLimitsOf, functionVariables } from '../../config/process-limits.ts'
import { StartupError } from '../../errors.ts'
import { findFunctions } from '../../functions/find-functions.ts'
import { FunctionError } from '../../functions/function-call.ts'
import type { FunctionDocument, FunctionSubject } from '../../functions/function-context.ts'
import { createProjectFunctions } from '../../functions/project-functions.ts'
import { createFunctionServices, readSubject } from '../../notify/function-calls.ts'
import { createObservationHub } from '../../observations.ts'
import type { Database } from '../../runtime/open-database.ts'
import { openRuntime, type Runtime } from '../../runtime/open-runtime.ts'
import { findUserByEmail } from '../../users/user-store.ts'
import { type Command, type Context, exitCodes, requiredId, requiredText } from '../command.ts'
import { withProject } from '../open-project.ts'
import { alignedTable } from '../output.ts'

export const command: Command = {
  usage: 'NAME',
  summary: 'Run a document function on a record and write its documents to a folder.',
  options: {
    entity: { type: 'string', value: 'KEY', help: 'The entity of the record.' },
    id: { type: 'string', value: 'N', help: 'The id of the record.' },
    out: { type: 'string', value: 'DIR', help: 'The folder to write to (default ./documents).' },
  },
  positionals: 1,
  run: async (context) => {
    const { config, options, observe, terminal } = context
    const entityKey = requiredText(options.entity, 'entity')
    const entityId = requiredId(options.id)
    const needs = { command: 'docket function', needs: 'records' } as const
    return withProject(context, needs, async (project, database) => {
      const { connectionString } = database
      const hub = createObservationHub(observe)
      const runtime = openRuntime({ config, project, connectionString, hub })
      const record = { entityKey, entityId }
      const documents = await makeDocuments(context, { runtime, database, record })
      const folder = typeof options.out === 'string' ? options.out : 'documents'
      terminal.out(table(await writeDocuments(folder, documents)))
      return exitCodes.done
    })
  },
}

type Opened = {
  readonly runtime: Runtime
  readonly database: Database
  readonly record: Pick<FunctionSubject, 'entityKey' | 'entityId'>
}

const makeDocuments = async (context: Context, { runtime, database: { pool }, record }: Opened) => {
  const { config, observe, positionals, environment } = context
  const { project, timeZone } = runtime
  const { catalog, directory } = project
  const { files } = await findFunctions(directory)
  const functions = createProjectFunctions({
    files,
    services: createFunctionServices(runtime.documentsOn(pool)),
    observe,
    limits: functionLimitsOf(config),
    watch: false,
    nodeEnv: environment.NODE_ENV ?? 'development',
    variables: functionVariables(environment),
  })
  try {
    const user = await findUserByEmail(pool, config.ADMIN_EMAIL)
    const nothing = { operation: null, action: null, comment: null, changes: null }
    const occasion = { ...record, ...nothing, actorId: user?.id ?? null }
    const subject = await readSubject({ pool, catalog, timeZone }, occasion)
    return await functions.makeDocuments(positionals[0] ?? '', subject).catch(explain(context))
  } finally {
    await Promise.all([functions.close(), runtime.close()])
  }
}

/** Prints the stack for the author of the function. */
const explain =
  ({ terminal }: Context) =>
  (error: unknown): never => {
    if (!(error instanceof FunctionError)) throw error
    if (error.functionStack !== undefined) terminal.note(`${error.functionStack}\n`)
    throw new StartupError(error.message, { cause: error })
  }

type Written = { readonly path: string; readonly mimetype: string; readonly bytes: number }

const writeDocuments = async (
  folder: string,
  documents: readonly FunctionDocument[],
): Promise<Written[]> => {
  await mkdir(folder, { recursive: true })
  const written = new Map<string, Written>()
  for (const { filename, mimetype, data } of documents) {
    // Unlike an e-mail, a folder cannot have two files with the same name.
    let path = join(folder, filename)
    for (let copy = 2; written.has(path); copy++) path = join(folder, numbered(filename, copy))
    await writeFile(path, data)
    written.set(path, { path, mimetype, bytes: data.byteLength })
  }
  return [...written.values()]
}

const numbered = (filename: string, copy: number): string => {
  const { name, ext } = parse(filename)
  return `${name}-${copy}${ext}`
}

const table = (files: readonly Written[]): string => {
  if (files.length === 0) return 'The function returned no documents.\n'
  const rows = files.map(({ path, mimetype, bytes }) => [path, mimetype, String(bytes)])
  return `${alignedTable([['File', 'Type', 'Bytes'], ...rows])}\n`
}

/** `docket import`: a file is sent like by a browser, and its run is watched until it has ended. */
import { createReadStream } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { emptyCellRules, importModes } from '../../definitions/schemas/import-definition.ts'
import { StartupError } from '../../errors.ts'
import { runImport } from '../../import/run-import.ts'
import type { ImportRunAnswer } from '../../import/run-list.ts'
import { removePartsOf } from '../../tasks/remove-parts.ts'
import { type Command, type Context, exitCodes, UsageError } from '../command.ts'
import { createTableProgress } from '../output.ts'
import {
  type AskedService,
  problemText,
  serviceOptions,
  unreachable,
  withService,
} from '../own-service.ts'

export const command: Command = {
  usage: 'FILE',
  summary: 'Import a file (CSV, Excel, JSON lines) into records of an entity.',
  options: {
    entity: { type: 'string', value: 'KEY', help: 'The entity whose records are written.' },
    plan: { type: 'boolean', help: 'Check the file and say what would be done; write nothing.' },
    mode: { type: 'string', value: 'MODE', help: `${importModes.join(', ')} (default insert).` },
    match: { type: 'string', value: 'FIELDS', help: 'Fields by which records are found.' },
    'empty-cells': {
      type: 'string',
      value: 'RULE',
      help: `${emptyCellRules.join(', ')} (default keep).`,
    },
    import: { type: 'string', value: 'KEY', help: 'An import of the definition.' },
    columns: { type: 'string', value: 'JSON', help: 'What columns of the file are for.' },
    partly: { type: 'boolean', help: 'Write the rows without a fault, whatever others have.' },
    notify: { type: 'boolean', help: 'Notifications and functions follow.' },
    faults: { type: 'string', value: 'FILE', help: 'Where to write the rows with faults, as CSV.' },
    ...serviceOptions,
  },
  positionals: 1,
  run: async (context) => {
    const { options, positionals } = context
    if (typeof options.entity !== 'string') throw new UsageError('--entity is needed.')
    const found = await stat(positionals[0] ?? '').catch(() => undefined)
    if (!found?.isFile()) throw new StartupError(`There is no file ${positionals[0]}.`)
    return withService(context, 'docket import', (service) => send(context, service))
  },
}

const never = new AbortController().signal

/** Of an own service, does what its jobs would. A service that runs elsewhere may do it too: each step is done once. */
const work = async ({ own }: AskedService, id: number): Promise<void> => {
  if (!own) return
  const { runtime, pool } = own
  const { catalog } = runtime.project
  await runImport({ ...runtime, catalog, pool, onRemoved: removePartsOf }, id, never)
}

type Answer = { readonly run: ImportRunAnswer; readonly faults: readonly Fault[] }
type Fault = { readonly row: number; readonly column: string | null; readonly message: string }

const send = async (context: Context, target: AskedService): Promise<number> => {
  const { positionals, terminal, options } = context
  const path = positionals[0] ?? ''
  const query = queryOf(context, basename(path))
  const file = Readable.toWeb(createReadStream(path)) as ReadableStream
  const sent = await ask(target, 'POST', `/${options.entity}/import?${query}`, file)
  const { id } = JSON.parse(sent) as ImportRunAnswer
  const answer = await watch(context, target, id)
  const { run, faults } = answer
  const isPlan = options.plan === true
  for (const text of run.notes) terminal.note(`${text}\n`)
  for (const fault of faults.slice(0, shownFaults)) terminal.note(printFault(fault))
  if (run.faulty > 0) await saveFaults(context, target, id)
  const would = isPlan ? 'would be ' : ''
  const counts = `${run.created} ${would}created, ${run.changed} changed, ${run.unchanged} unchanged, ${run.faulty} with faults`
  const why = whyNotDone(run)
  terminal.note(`${run.rows} rows: ${counts}${why === null ? '' : `\n${why}`}\n`)
  if (run.faulty > 0) return exitCodes.findings
  return run.state === 'done' || (isPlan && run.state === 'ready')
    ? exitCodes.done
    : exitCodes.failed
}

/** A run that stays ready with an error has rows with faults: what the service says of it names its own parameter. */
const whyNotDone = ({ state, error }: ImportRunAnswer): string | null =>
  error !== null && state === 'ready'
    ? 'Nothing is written: correct the file and import it again, or let --partly write the rows without a fault.'
    : error

const shownFaults = 20

const printFault = ({ row, column, message }: Fault): string =>
  `Row ${row}${column === null ? '' : `, ${column}`}: ${message}\n`

const queryOf = ({ options }: Context, name: string): URLSearchParams => {
  const text = (option: string, parameter: string) => {
    const value = options[option]
    return typeof value === 'string' ? { [parameter]: value } : {}
  }
  return new URLSearchParams({
    file: name,
    ...(options.plan === true && { dryRun: 'true' }),
    ...(options.partly === true && { allOrNothing: 'false' }),
    ...(options.notify === true && { notify: 'true' }),
    ...text('mode', 'mode'),
    ...text('match', 'match'),
    ...text('empty-cells', 'emptyCells'),
    ...text('columns', 'columns'),
    ...text('import', 'import'),
  })
}

const pollMs = 200

const watch = async ({ terminal }: Context, target: AskedService, id: number): Promise<Answer> => {
  const progress = createTableProgress(terminal, 'rows')
  let working: Promise<void> | undefined
  for (;;) {
    const answer = JSON.parse(await ask(target, 'GET', `/api/imports/${id}`)) as Answer
    const { state, rows, done_rows: done, check_step: step, check_steps: steps } = answer.run
    const name = state === 'checking' ? `checking, step ${step} of ${steps}` : state
    progress.add(name, state === 'writing' ? done : done || rows)
    if (state === 'checking' || state === 'writing') working ??= work(target, id)
    else if (state !== 'reading') {
      progress.end()
      await working
      return answer
    }
    await Promise.race([delay(pollMs), failureOf(working)])
  }
}

/** Rejects as the work does, and never resolves. */
const failureOf = (working: Promise<void> | undefined): Promise<never> =>
  new Promise((_, reject) => working?.catch(reject))

const saveFaults = async ({ options, terminal }: Context, target: AskedService, id: number) => {
  if (typeof options.faults !== 'string') return
  await writeFile(options.faults, await ask(target, 'GET', `/api/imports/${id}/faults`))
  terminal.note(`${options.faults}: the rows with faults\n`)
}

const ask = async (
  { url, token }: AskedService,
  method: string,
  path: string,
  body?: ReadableStream,
): Promise<string> => {
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(body && { 'Content-Type': 'application/octet-stream' }),
  }
  const sent = { method, headers, ...(body && { body, duplex: 'half' as const }) }
  const response = await fetch(`${url}${path}`, sent).catch((error: unknown) => {
    throw unreachable(url, error)
  })
  const text = await response.text()
  if (!response.ok) throw new StartupError(problemText(response.status, text))
  return text
}

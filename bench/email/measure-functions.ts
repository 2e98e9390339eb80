/** What a document function costs in its process, beside the same function called in this process. */
import { loadConfig } from '../../src/config/load-config.ts'
import { functionLimitsOf } from '../../src/config/process-limits.ts'
import { findFunctions } from '../../src/functions/find-functions.ts'
import type { DocumentFunction, FunctionSubject } from '../../src/functions/function-context.ts'
import type { OfferedServices } from '../../src/functions/function-services.ts'
import { localServices } from '../../src/functions/local-services.ts'
import {
  createProjectFunctions,
  type ProjectFunctions,
} from '../../src/functions/project-functions.ts'
import { loadModule } from '../../src/functions/runtime/load-module.ts'
import { logTo } from '../../src/functions/runtime/log-to.ts'
import { createFunctionServices } from '../../src/notifications/jobs/function-services.ts'
import { readSubject } from '../../src/notifications/jobs/function-subject.ts'
import { median, percentile } from '../figures.ts'
import { aimOf, type Row, type Table } from '../report.ts'
import type { MailPlace } from './mail-place.ts'
import { type Deps, openParts } from './open-parts.ts'

const rounds = 3
const callsPerRound = 200
const warmUps = 50
const maxOverheadMs = 5

// One only makes bytes, the other asks the service for records.
const names = ['fifty-kilobytes', 'order-lines']

/** Warm calls by turns. */
export const measureFunctions = async (place: MailPlace): Promise<Table> => {
  const deps = await openParts(place)
  const { files } = await findFunctions(place.project)
  const services = createFunctionServices(deps.documents)
  const observe = () => undefined
  const limits = functionLimitsOf(loadConfig({}))
  const functions = createProjectFunctions({ files, services, observe, limits, watch: false })
  try {
    const subject = await subjectOf(deps)
    const rows: Row[] = []
    for (const name of names) {
      const path = files.document.get(name)?.path ?? ''
      const direct = await directCall(path, services)
      rows.push(...(await compare(name, subject, { direct, functions })))
    }
    return { title: `Document functions, warm (ms), median of ${rounds}`, rows }
  } finally {
    await functions.close()
    await deps.close()
  }
}

const subjectOf = ({ pool, project: { catalog }, timeZone }: Deps): Promise<FunctionSubject> =>
  readSubject(
    { pool, catalog, timeZone },
    {
      entityKey: 'purchase_order',
      entityId: 1,
      actorId: 1,
      operation: 'takeOwnership',
      action: null,
      comment: null,
      changes: null,
    },
  )

type Call = (subject: FunctionSubject) => Promise<unknown>

/** `exec` itself, with services that are called without a channel. */
const directCall = async (path: string, services: OfferedServices): Promise<Call> => {
  const module = await loadModule(path, 'document')
  const exec = module.exec as DocumentFunction
  const log = logTo(() => undefined)
  const local = localServices(services, AbortSignal.any([]))
  return async (subject) => exec({ ...subject, services: local, log })
}

type Ways = { readonly direct: Call; readonly functions: ProjectFunctions }

const compare = async (
  name: string,
  subject: FunctionSubject,
  { direct, functions }: Ways,
): Promise<Row[]> => {
  const inThread = (one: FunctionSubject) => functions.makeDocuments(name, one)
  const here: number[][] = []
  const there: number[][] = []
  await timesOf(warmUps, () => direct(subject))
  await timesOf(warmUps, () => inThread(subject))
  for (let round = 0; round < rounds; round++) {
    here.push(await timesOf(callsPerRound, () => direct(subject)))
    there.push(await timesOf(callsPerRound, () => inThread(subject)))
  }
  const [us, them] = [figuresOf(there), figuresOf(here)]
  const overhead = us.p50 - them.p50
  return [
    { what: `${name}, in this process`, ...them },
    {
      what: `${name}, in its process`,
      ...us,
      overhead,
      ...aimOf(overhead, { most: maxOverheadMs }),
    },
  ]
}

const timesOf = async (calls: number, call: () => Promise<unknown>): Promise<number[]> => {
  const samples: number[] = []
  for (let made = 0; made < calls; made++) {
    const begun = performance.now()
    await call()
    samples.push(performance.now() - begun)
  }
  return samples
}

const figuresOf = (samples: readonly (readonly number[])[]) => ({
  p50: median(samples.map((one) => percentile(one, 50))),
  p99: median(samples.map((one) => percentile(one, 99))),
})

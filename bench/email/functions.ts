/** The cost of a document function in its process, compared with the same function called in this process. */
import { loadConfig } from '../../src/config/load-config.ts'
import { functionLimitsOf } from '../../src/config/process-limits.ts'
import { findFunctions } from '../../src/functions/find-functions.ts'
import { logTo } from '../../src/functions/function-call.ts'
import type { DocumentFunction, FunctionSubject } from '../../src/functions/function-context.ts'
import { loadModule } from '../../src/functions/load-module.ts'
import { localServices } from '../../src/functions/native-functions.ts'
import { createProjectFunctions } from '../../src/functions/project-functions.ts'
import { createFunctionServices } from '../../src/notify/function-calls.ts'
import { byTurns, sampler, spreadOf, timed } from '../figures.ts'
import { getJson } from '../http-client.ts'
import { aimOf, type Row, type Table } from '../report.ts'
import type { Measured } from './measured.ts'
import { openDocuments } from './service-parts.ts'

const calls = 600
const warmUps = 50

// One only creates bytes, the other asks the service for records.
const names = ['fifty-kilobytes', 'order-lines']

/** Warm calls by turns. */
export const measureFunctions = async (measured: Measured): Promise<Table[]> => {
  const { files } = await findFunctions(measured.project)
  const services = createFunctionServices(await openDocuments(measured))
  const observe = () => undefined
  const limits = functionLimitsOf(loadConfig({}))
  const functions = createProjectFunctions({ files, services, observe, limits, watch: false })
  const subject = await readSubject(measured)
  // `exec` itself, with services that are called without a channel.
  const context = {
    ...subject,
    services: localServices(services, AbortSignal.any([])),
    log: logTo(observe),
  }
  const rows: Row[] = []
  for (const name of names) {
    const module = await loadModule(files.document.get(name)?.path ?? '', 'document')
    const exec = module.exec as DocumentFunction
    const here = sampler(() => timed(() => exec(context)))
    const there = sampler(() => timed(() => functions.makeDocuments(name, subject)))
    await byTurns([here, there], { rounds: calls, warmUps })
    const [us, them] = [spreadOf(there.samples), spreadOf(here.samples)]
    const overhead = us.p50 - them.p50
    rows.push({ what: `${name}, in this process`, ...them })
    const compared = { overhead, ...aimOf(overhead, { most: 5 }) }
    rows.push({ what: `${name}, in its process`, ...us, ...compared })
  }
  await functions.close()
  return [{ title: `Document functions, ${calls} warm calls (ms)`, rows }]
}

const readSubject = async ({ service }: Measured): Promise<FunctionSubject> => ({
  entityKey: 'purchase_order',
  entityId: 1,
  record: await getJson(service, '/purchase_order/1'),
  actor: null,
  operation: 'takeOwnership',
  action: null,
  comment: null,
  changes: null,
})

/** What operators wait for: restarts under load, starts of many processes at once, processes with nothing to do. */
import type { Environment } from '../environment.ts'
import type { Table } from '../report.ts'
import { measureIdle } from './idle.ts'
import { measureRollingRestart } from './rolling-restart.ts'
import { measureStarts } from './starts.ts'

export const benchOperation = async (environment: Environment): Promise<Table[]> => [
  await measureRollingRestart(environment),
  await measureStarts(environment),
  await measureIdle(environment),
]

/** All checks of `docket doctor`, in the order in which they are shown. */
import { findMissingMigrations } from '../../database/migrate.ts'
import { printSome } from '../amounts.ts'
import { verdict } from '../check.ts'
import { clockCheck, versionCheck } from '../server-checks.ts'
import { calculationCheck } from './calculation-check.ts'
import { connectionChecks } from './connection-checks.ts'
import type { DoctorCheck } from './doctor-target.ts'
import { replicationChecks } from './replication-checks.ts'
import { upkeepChecks } from './upkeep-checks.ts'
import { workChecks } from './work-checks.ts'

const migrations: DoctorCheck = {
  name: 'migrations',
  run: async ({ database }) => {
    const missing = await findMissingMigrations(database)
    return {
      ...verdict(
        missing.length > 0 ? 'warn' : 'ok',
        missing.length > 0 ? `missing: ${printSome(missing)}` : 'complete',
        'Run "docket migrate", or start this version of Docket.',
      ),
      facts: { missing },
    }
  },
}

export const doctorChecks: readonly DoctorCheck[] = [
  versionCheck,
  migrations,
  ...connectionChecks,
  ...workChecks,
  ...replicationChecks,
  ...upkeepChecks,
  calculationCheck,
  clockCheck,
]

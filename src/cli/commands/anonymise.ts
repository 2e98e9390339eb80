/** `docket anonymise`: replaces the personal values of a record, or says with --plan how many rows are about it. */
import { type Caller, wholeRoleKey } from '../../auth/caller.ts'
import { createPermissions } from '../../auth/permissions.ts'
import { trial } from '../../database/transaction.ts'
import { getEntity } from '../../definitions/catalog.ts'
import { StartupError } from '../../errors.ts'
import {
  type AnonymisePlan,
  anonymiseContext,
  anonymiseRecord,
  planAnonymising,
  whyNotAnonymised,
} from '../../personal-data/anonymise.ts'
import { refuseParts } from '../../records/write-endpoints.ts'
import { ensurePeople, timeZoneOf } from '../../runtime/open-database.ts'
import type { User } from '../../users/user-store.ts'
import { type Command, exitCodes, UsageError } from '../command.ts'
import { requireActor } from '../development-user.ts'
import { withProject } from '../open-project.ts'
import { alignedTable } from '../output.ts'

export const command: Command = {
  usage: 'ENTITY ID',
  summary: 'Replace the personal values of a record, so that it tells of nobody any more.',
  options: {
    plan: { type: 'boolean', help: 'Change nothing, and show how many rows tell of it.' },
    user: {
      type: 'string',
      value: 'E-MAIL',
      help: 'Who does it, with whose permissions (default: the administrator).',
    },
  },
  positionals: 2,
  run: async (context) => {
    const { config, observe, options, terminal, positionals } = context
    const [key = '', text = ''] = positionals
    if (!/^[1-9]\d{0,9}$/.test(text))
      throw new UsageError(`ID must be the number of a record; it is "${text}".`)
    const needs = { command: 'docket anonymise', needs: 'records' } as const
    return withProject(context, needs, async (project, { pool }) => {
      await ensurePeople(pool, project, config, observe)
      const { catalog } = project
      const entity = getEntity(catalog, key)
      const refusal = refuseParts(entity) ?? whyNotAnonymised(entity)
      if (refusal) throw refusal
      const timeZone = timeZoneOf(project, config)
      const deps = { catalog, timeZone, permissions: createPermissions(catalog, timeZone) }
      const caller = callerOf(await requireActor(pool, context))
      const asked = anonymiseContext(deps, caller, entity)
      const target = { id: Number(text), precondition: 'any' } as const
      if (options.plan === true) {
        const plan = await trial(pool, (connection) => planAnonymising(connection, asked, target))
        terminal.out(printPlan(plan))
        return exitCodes.done
      }
      const { fields } = await anonymiseRecord(pool, asked, target)
      terminal.out(`${key} ${text} is anonymised: ${fields.join(', ')}.\n`)
      terminal.note('A job removes texts elsewhere that name the person, while the service runs.\n')
      return exitCodes.done
    })
  },
}

const callerOf = (user: User): Caller => {
  if (user.role_key === null) throw new StartupError(`The user ${user.email} has no role.`)
  const roleKey = wholeRoleKey(user.role_key)
  const { id: userId, full_name: fullName } = user
  return { userId, roleKey, fullName, email: user.email, actingUser: null }
}

const printPlan = ({ fields, rows, elsewhere }: AnonymisePlan): string => {
  const listed = (counts: AnonymisePlan['rows']) =>
    counts.length === 0
      ? '  none\n'
      : alignedTable(
          counts.map((one) => [one.table, String(one.rows)]),
          '  ',
        )
  return `Personal fields: ${fields.join(', ')}

Rows about the record:
${listed(rows).trimEnd()}

Rows elsewhere that name the person:
${listed(elsewhere).trimEnd()}
`
}

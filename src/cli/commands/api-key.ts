/** `docket api-key`: API keys; each acts as one user. */
import type { ApiKey } from '../../auth/callers/api-keys.ts'
import { createApiKey, isLastDay, listApiKeys, revokeApiKey } from '../../auth/callers/api-keys.ts'
import { parseKeyScope } from '../../auth/key-scopes.ts'
import type { Pool } from '../../database/pool.ts'
import { transaction } from '../../database/transaction.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { StartupError } from '../../errors.ts'
import { ensurePeople, timeZoneOf } from '../../runtime/open-database.ts'
import { requireUser } from '../../users/user-store.ts'
import { type Command, type Context, exitCodes, requiredText, UsageError } from '../command.ts'
import { withProject } from '../open-project.ts'
import { alignedTable } from '../output.ts'

export const command: Command = {
  usage: 'create|list|revoke',
  summary: 'Create, list or revoke API keys.',
  options: {
    user: {
      type: 'string',
      value: 'E-MAIL',
      help: 'The user that the key acts as (create, list).',
    },
    name: { type: 'string', value: 'NAME', help: 'What the key is for (create).' },
    until: { type: 'string', value: 'DAY', help: 'Its last day, such as 2027-01-31 (create).' },
    scope: {
      type: 'string',
      value: 'SCOPE',
      help: 'What it may do, such as "order:read,export" (create).',
    },
    id: { type: 'string', value: 'N', help: 'The key to revoke.' },
  },
  positionals: 1,
  run: async (context) => {
    const act = actions[context.positionals[0] ?? '']
    if (!act) {
      context.terminal.note('docket api-key requires create, list or revoke.\n')
      return exitCodes.usage
    }
    const { config, observe } = context
    const needs = { command: 'docket api-key', needs: 'own tables' } as const
    return withProject(context, needs, async (project, { pool }) => {
      // Creating a key may be the first command on a database.
      if (act === actions.create) await ensurePeople(pool, project, config, observe)
      return act(pool, context, { catalog: project.catalog, timeZone: timeZoneOf(project, config) })
    })
  },
}

/** One JSON document a line, for machines. */
const lineOf = (key: ApiKey): string => `${JSON.stringify(key)}\n`

const tableOf = (keys: readonly ApiKey[]): string => {
  const [first] = keys
  if (!first) return 'There are no API keys; create one with docket api-key create.\n'
  const rows = keys.map((key) => Object.values(key).map((value) => String(value ?? '')))
  return `${alignedTable([Object.keys(first), ...rows])}\n`
}

type Place = { readonly catalog: Catalog; readonly timeZone: string }
type Act = (pool: Pool, context: Context, place: Place) => Promise<number>

/** The day of `--until`, which has not passed. */
const dayOf = (given: unknown): string | undefined => {
  if (given === undefined) return undefined
  const day = String(given)
  if (!isLastDay(day))
    throw new UsageError(
      `--until must be a day that has not passed, such as 2027-01-31; it is "${day}".`,
    )
  return day
}

/** The scope of `--scope`, as it is stored. */
const scopeOf = (given: unknown, catalog: Catalog): string | undefined => {
  if (given === undefined) return undefined
  const read = parseKeyScope(catalog, String(given))
  if ('issues' in read) throw new UsageError(`--scope: ${read.issues.join('; ')}`)
  return read.scope
}

const actions: Record<string, Act> = {
  create: async (pool, { options, terminal }, { catalog, timeZone }) => {
    const name = requiredText(options.name, 'name')
    const day = dayOf(options.until)
    const scope = scopeOf(options.scope, catalog)
    const user = await requireUser(pool, requiredText(options.user, 'user'))
    const { key, id } = await transaction(pool, (connection) =>
      createApiKey(connection, {
        userId: user.id,
        name,
        scope,
        until: day === undefined ? undefined : { day, timeZone },
      }),
    )
    terminal.out(`${key}\n`)
    const end = day === undefined ? '' : ` until the end of ${day} (${timeZone})`
    const within = scope === undefined ? '' : ` within ${scope}`
    terminal.note(
      `Key ${id} acts as ${user.email}${within}${end}. It is shown only once; store it safely.\n`,
    )
    return exitCodes.done
  },
  list: async (pool, { options, terminal }) => {
    const email = options.user
    const user = typeof email === 'string' ? await requireUser(pool, email) : undefined
    const keys = await listApiKeys(pool, { userId: user?.id })
    terminal.out(terminal.isShown ? tableOf(keys) : keys.map(lineOf).join(''))
    return exitCodes.done
  },
  revoke: async (pool, { options, terminal }) => {
    const id = Number(requiredText(options.id, 'id'))
    const revoke = () => transaction(pool, (connection) => revokeApiKey(connection, id))
    if (!Number.isInteger(id) || !(await revoke()))
      throw new StartupError(
        `There is no active API key ${options.id}; "docket api-key list" shows them.`,
      )
    terminal.note(`Key ${id} is revoked.\n`)
    return exitCodes.done
  },
}

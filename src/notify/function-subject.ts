/** What a function of the project is called for: the record, the actor and the operation, as plain data. */
import { getEntity } from '../definitions/catalog.ts'
import type { FunctionSubject } from '../functions/function-context.ts'
import { type Access, fullAccess, type RecordScope } from '../query/access.ts'
import { noCriteria } from '../query/criteria/criteria.ts'
import { searchRecords } from '../records/read-records.ts'
import { idIn } from './content/template-data.ts'
import { type EngineDeps, withRemoved } from './rules/evaluate-rules.ts'

type KnownSubject = Omit<FunctionSubject, 'record' | 'actor'> & { readonly actorId: number | null }

/** Reads the current record and actor, also removed ones. */
export const readSubject = async (
  deps: Pick<EngineDeps, 'pool' | 'catalog' | 'timeZone'>,
  { actorId, ...subject }: KnownSubject,
  /**
   * Whose permissions apply to the record; without a reader everything is visible, as to the service
   * itself.
   */
  reader?: { readonly access: Access; readonly scope: RecordScope },
): Promise<FunctionSubject> => {
  const read = async (key: string, id: number, access: Access, scope: RecordScope) => {
    const { pool, catalog, timeZone } = deps
    const entity = getEntity(catalog, key)
    const reading = { catalog, entity, access, timeZone, include: [] }
    const criteria = { ...noCriteria, where: withRemoved(idIn([id])) }
    const page = { limit: 1, offset: 0 }
    const { records } = await searchRecords(pool, { ...reading, scope }, criteria, page)
    return records[0] === undefined ? undefined : JSON.parse(records[0])
  }
  const { entityKey, entityId } = subject
  const { access, scope } = reader ?? { access: fullAccess, scope: 'all' }
  const record = await read(entityKey, entityId, access, scope)
  if (!record) throw new Error(`There is no ${entityKey} ${entityId}.`)
  // What the service creates for a reader does not name the actor.
  const actor =
    actorId === null || reader ? null : ((await read('user', actorId, fullAccess, 'all')) ?? null)
  return { ...subject, record, actor }
}

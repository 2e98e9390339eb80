/** What a function of the project is called for: the record, who acted and how, as plain data. */
import { getEntity } from '../definitions/catalog.ts'
import type { FunctionSubject } from '../functions/function-context.ts'
import { fullAccess } from '../query/access.ts'
import { readRecord } from '../records/read-records.ts'
import type { EngineParts } from './notice.ts'

type Occasion = Omit<FunctionSubject, 'record' | 'actor'> & { readonly actorId: number | null }

/** Reads the record and the actor as they are now; a fault where the record is gone. */
export const readSubject = async (
  parts: Pick<EngineParts, 'pool' | 'catalog' | 'timeZone'>,
  { actorId, ...occasion }: Occasion,
): Promise<FunctionSubject> => {
  const read = async (key: string, id: number) => {
    const { pool, catalog, timeZone } = parts
    const entity = getEntity(catalog, key)
    const reading = { catalog, entity, access: fullAccess, timeZone, include: [] }
    return JSON.parse((await readRecord(pool, { ...reading, scope: 'all' }, id)).json)
  }
  const record = await read(occasion.entityKey, occasion.entityId)
  // Who acted may have been removed since.
  const actor = actorId === null ? null : await read('user', actorId).catch(() => null)
  return { ...occasion, record, actor }
}

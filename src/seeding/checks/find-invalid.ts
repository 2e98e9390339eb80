/** Asks the validations of an entity about the records of a seed file, after these were written. */
import type { Queryable } from '../../database/pool.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { findUnmetOfEach } from '../../query/conditions/decide-conditions.ts'
import { validationCondition } from '../../query/conditions/validation-condition.ts'
import type { SeedFile, SeedRecord } from '../files/seed.ts'
import { errorAt, type SeedError } from '../files/seed-error.ts'

type Written = {
  readonly connection: Queryable
  readonly catalog: Catalog
  readonly timeZone: string
  readonly seed: SeedFile
}

const recordsAtOnce = 5000

/** An error for each validation that a record does not meet. */
export const findInvalid = async (
  { connection, catalog, timeZone, seed }: Written,
  records: readonly SeedRecord[],
): Promise<SeedError[]> => {
  const { entity } = seed
  const validations = entity.definition.validations ?? []
  const asked = new Map(validations.map((one) => [one, validationCondition(one)]))
  const decider = { catalog, timeZone, userId: 0 }
  const errors: SeedError[] = []
  for (let start = 0; asked.size > 0 && start < records.length; start += recordsAtOnce) {
    const some = records.slice(start, start + recordsAtOnce)
    const ids = some.map(({ id }) => id)
    const unmet = await findUnmetOfEach(connection, decider, { entity, ids }, asked)
    for (const { id, index } of some)
      for (const { message, field } of unmet.get(id) ?? [])
        errors.push(errorAt(seed, field === undefined ? [index] : [index, field], message))
  }
  return errors
}

/** A search by words that takes too long: the newest records can be searched alone, by a filter that everybody sees. */
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { searchRecords } from '../../api/client.ts'
import type { Condition, Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { withRule } from './filter.ts'

type SlowProps = {
  readonly entity: Entity
  readonly where: Condition | undefined
  readonly onChange: (where: Condition) => void
}

// PostgreSQL reads so many in about a quarter of a second.
const newestRecords = 100_000

/** The id of the oldest of the newest records; undefined if there are not so many. */
const findOldest = async (entity: Entity): Promise<unknown> => {
  const body = { $orderBy: ['-id'], $select: ['id'] }
  const page = await searchRecords(entity.key, body, { limit: 1, page: newestRecords })
  return page.data[0]?.id
}

export const SlowSearch = ({ entity, where, onChange }: SlowProps): ReactNode => {
  const { slow: texts } = useWorkTexts().filter
  const narrow = useMutation({
    mutationFn: () => findOldest(entity),
    onSuccess: (id) =>
      id !== undefined &&
      onChange(withRule(where, { kind: 'rule', path: 'id', operator: '$gte', value: id })),
  })
  const mayNarrow = entity.fields.some(({ column }) => column === 'id')
  const isOffered = mayNarrow && !narrow.isError && !(narrow.isSuccess && narrow.data === undefined)
  return (
    <div className="note" role="alert">
      <h2>{texts.title}</h2>
      <p>{texts.hint}</p>
      {isOffered && (
        <Button look="primary" disabled={narrow.isPending} onClick={() => narrow.mutate()}>
          {texts.newest(newestRecords)}
        </Button>
      )}
    </div>
  )
}

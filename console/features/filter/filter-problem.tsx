/** What is wrong with a list that is filtered or searched, in words, and the way out that keeps the rest of it. */
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { isTooSlow } from '../../api/availability.ts'
import { searchRecords } from '../../api/client.ts'
import type { Condition, Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { ProblemNote } from '../../parts/notes.tsx'
import { useWorkTexts, type WorkTexts } from '../../texts/texts.ts'
import { comparisonOf, faultOf, operandKind, otherPathOf } from './comparisons.ts'
import { describeFilter, rulesIn, useWording, type Wording } from './describe-filter.ts'
import { type FilterRule, parseFilter, withoutItem, withRule } from './filter.ts'
import './filter-dialog.css'

type ProblemProps = {
  readonly entity: Entity
  readonly where: Condition | undefined
  /** What the service said. */
  readonly error: Error
  readonly onChange: (where: Condition | undefined) => void
}

export const FilterProblem = (props: ProblemProps): ReactNode => {
  const { where, error } = props
  if (isTooSlow(error)) return <SlowSearch {...props} />
  return where ? <WrongFilter {...props} where={where} /> : <ProblemNote error={error} />
}

type WrongProps = ProblemProps & { readonly where: Condition }

const WrongFilter = ({ entity, where, error, onChange }: WrongProps): ReactNode => {
  const { problem: texts } = useWorkTexts().filter
  const wording = useWording(entity, where)
  const group = parseFilter(where)
  const wrong = (group?.items ?? []).flatMap((item, at) => {
    const issue = rulesIn(item)
      .map((rule) => issueOf(rule, wording, texts))
      .find((one) => one !== undefined)
    return issue === undefined ? [] : [{ item, at, issue }]
  })
  const clear = <Button onClick={() => onChange(undefined)}>{texts.removeAll}</Button>
  if (group && wrong.length === 0)
    return (
      <>
        <ProblemNote error={error} />
        <div className="note">{clear}</div>
      </>
    )
  return (
    <div className="note" role="alert">
      <h2>{texts.title}</h2>
      {!group && <p>{texts.unreadable}</p>}
      {wrong.map(({ item, at, issue }) => (
        <div key={JSON.stringify(item)} className="filter-problem">
          <p dir="auto">{issue}</p>
          <Button onClick={() => onChange(withoutItem(where, at))}>{texts.remove}</Button>
        </div>
      ))}
      {!group && clear}
    </div>
  )
}

type Texts = WorkTexts['filter']['problem']

/** What is wrong with a condition; undefined if the console sees nothing. */
const issueOf = (rule: FilterRule, wording: Wording, texts: Texts): string | undefined => {
  const found = wording.fieldAt(rule.path)
  if (!found) return texts.unknown(rule.path)
  const { comparison, value } = comparisonOf(rule)
  const other = otherPathOf(comparison, value)
  if (other !== undefined) return wording.fieldAt(other) ? undefined : texts.unknown(other)
  const fault = faultOf(value, found.field, operandKind(comparison, found.field))
  return fault && texts.unread(describeFilter(rule, wording))
}

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

/** A search by words that takes too long: the newest records can be searched alone, by a filter that everybody sees. */
const SlowSearch = ({ entity, where, onChange }: SlowProps): ReactNode => {
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
